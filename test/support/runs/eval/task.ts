import type { Transcript } from './transcript.ts';

type Turn = {
  user: string;
  model: Transcript;
  /** What a person decides about the newest proposal after the turn. */
  decision?: 'confirm' | 'reject';
};

/** One task of an operator, played by a transcript, with what must be true of it in the end. */
export type Task = {
  kind: string;
  name: string;
  turns: readonly Turn[];
  /** Tools called, in order, with how each call ended. */
  trace: readonly string[];
  /** Texts that the answers have to hold: values of the plant, sentences of the platform. */
  facts: readonly string[];
  /** Proposals in order: status and proposed value. */
  actions: readonly (readonly [status: string, value: string])[];
  /** Values that were sent to devices, in order. */
  commands: readonly string[];
};
