import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { Running } from '../../client/ask.ts';
import type { Operation } from '../../client/call.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { AskFirst } from './dialog.tsx';

type Look = { kind?: 'danger' | 'plain' | 'quiet'; label?: string };
type Given = Look & {
  /** On the button. */
  word: string;
  /** The dialog, which is given how it closes. */
  children(close: () => void): ComponentChildren;
  /** After the dialog has closed. */
  closed?(): void;
};

/** A button that opens a dialog. */
export function Opener({ word, children, closed, ...look }: Given) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    closed?.();
  };
  return (
    <>
      <Button {...look} onPress={() => setOpen(true)}>
        {word}
      </Button>
      {isOpen && children(close)}
    </>
  );
}

type AskGiven = Look & {
  /** On the button that asks and on the one that does it; "Delete" where nothing else is said. */
  word?: string;
  title: string;
  children: ComponentChildren;
  act: Pick<Running<Operation>, 'isRunning' | 'failure' | 'forgive'>;
  /** Answers null where it was refused: the question then stays open, with why. */
  run(): Promise<unknown>;
  done?(): void;
};

/** A button that asks before it stops or removes something. */
export function AskButton({ word, title, children, act, run, done, ...look }: AskGiven) {
  const go = word ?? partWords().delete;
  const answered = async (close: () => void): Promise<void> => {
    if ((await run()) === null) return;
    close();
    done?.();
  };
  return (
    <Opener kind="danger" word={go} {...look}>
      {(close) => (
        <AskFirst
          title={title}
          go={go}
          isRunning={act.isRunning}
          failure={act.failure}
          onGo={() => void answered(close)}
          onClose={() => {
            close();
            act.forgive();
          }}
        >
          {children}
        </AskFirst>
      )}
    </Opener>
  );
}
