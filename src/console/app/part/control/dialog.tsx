import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import type { Failure } from '../../client/failure.ts';
import { leave, unsaved } from '../../client/unsaved.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { RefusedNote } from './loaded.tsx';

type Given = {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** Buttons at its end, the main one last. */
  actions?: ComponentChildren;
  isWide?: boolean;
  /** Enter in a field of one line. */
  onEnter?: (() => void) | undefined;
};

/** A question or form above the page: keeps the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, onClose, children, actions, isWide = false, onEnter }: Given) {
  const shown = useRef<HTMLDialogElement>(null);
  const id = useId();
  const heldBefore = useRef(unsaved());
  /** By a slip too: what was entered in it is asked about. */
  const close = (): void => leave(onClose, heldBefore.current);
  // Before anything is typed: the keys after the one that opened it are for it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    shown.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={shown}
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="dialog">
        <header class="head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" onPress={close} label={partWords().close}>
            ✕
          </Button>
        </header>
        <div
          class="stack"
          onKeyDown={(event) => {
            if (!onEnter || event.key !== 'Enter' || event.isComposing || !isLine(event.target))
              return;
            event.preventDefault();
            onEnter();
          }}
        >
          {children}
        </div>
        {actions && <footer class="actions">{actions}</footer>}
      </div>
    </dialog>
  );
}

/** Where Enter has no meaning of its own. */
const isLine = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !/^(?:checkbox|radio|file|button)$/.test(target.type);

type FormGiven = {
  title: string;
  /** Its fields, or the text of a question. */
  children: ComponentChildren;
  /** On the button that does it; "Save" where nothing else is said. */
  go?: string;
  kind?: 'primary' | 'danger';
  isRunning: boolean;
  /** Something is missing that the server would refuse. */
  isOff?: boolean;
  failure: Failure | null;
  isWide?: boolean;
  onGo(): void;
  onClose(): void;
};

/** A dialog with one thing to do: it can be cancelled, and stays open while it is refused. */
export const FormDialog = ({
  title,
  children,
  go = partWords().save,
  kind = 'primary',
  isRunning,
  isOff = false,
  failure,
  isWide = false,
  onGo,
  onClose,
}: FormGiven) => (
  <Dialog
    title={title}
    onClose={onClose}
    isWide={isWide}
    onEnter={kind === 'danger' || isOff || isRunning ? undefined : onGo}
    actions={
      <>
        <Button onPress={onClose}>{partWords().cancel}</Button>
        <Button kind={kind} isBusy={isRunning} isOff={isOff} onPress={onGo}>
          {go}
        </Button>
      </>
    }
  >
    {children}
    <RefusedNote failure={failure} />
  </Dialog>
);

type AskGiven = {
  title: string;
  children: ComponentChildren;
  /** On the button that does it. */
  go: string;
  isRunning: boolean;
  failure: Failure | null;
  onGo(): void;
  onClose(): void;
};

/** Asks before something is stopped or removed. */
export const AskFirst = (given: AskGiven) => <FormDialog kind="danger" {...given} />;
