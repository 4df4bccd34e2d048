import type { ComponentChildren } from 'preact';

import type { Failure } from '../../client/failure.ts';
import { FormDialog } from './form-dialog.tsx';

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

/** Asks before something is stopped or removed. */
export const AskFirst = (given: Given) => <FormDialog kind="danger" {...given} />;
