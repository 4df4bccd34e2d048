import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';

type Given = {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** Buttons at its end, the main one last. */
  actions?: ComponentChildren;
  isWide?: boolean;
};

/** A question or form above the page: keeps the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, onClose, children, actions, isWide = false }: Given) {
  const shown = useRef<HTMLDialogElement>(null);
  const id = useId();
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
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div class="dialog">
        <header class="head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" onPress={onClose} label={partWords().close}>
            ✕
          </Button>
        </header>
        <div class="stack">{children}</div>
        {actions && <footer class="actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
