import type { ComponentChildren } from 'preact';

import type { Failure } from '../../client/failure.ts';
import { partWords } from '../../word/part.ts';
import { RefusedNote } from '../refused.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

type Given = {
  /** The question. */
  title: string;
  /** What it leads to. */
  children: ComponentChildren;
  /** On the button that does it. */
  go: string;
  isRunning: boolean;
  failure: Failure | null;
  onGo(): void;
  onClose(): void;
};

/** Asks before something is stopped or removed; stays open while it is refused. */
export const AskFirst = ({ title, children, go, isRunning, failure, onGo, onClose }: Given) => (
  <Dialog
    title={title}
    onClose={onClose}
    actions={
      <>
        <Button onPress={onClose}>{partWords().cancel}</Button>
        <Button kind="danger" isBusy={isRunning} onPress={onGo}>
          {go}
        </Button>
      </>
    }
  >
    {children}
    <RefusedNote failure={failure} />
  </Dialog>
);
