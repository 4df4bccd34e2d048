import type { ComponentChildren } from 'preact';

import type { Failure } from '../../client/failure.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { RefusedNote } from './refused.tsx';

type Given = {
  title: string;
  /** Its fields, or the text of a question. */
  children: ComponentChildren;
  /** On the button that does it. */
  go: string;
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
  go,
  kind = 'primary',
  isRunning,
  isOff = false,
  failure,
  isWide = false,
  onGo,
  onClose,
}: Given) => (
  <Dialog
    title={title}
    onClose={onClose}
    isWide={isWide}
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
