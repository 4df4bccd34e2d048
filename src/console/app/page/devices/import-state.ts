import type { Schemas } from '../../client/operations.ts';
import type { State } from '../../part/value/mark.tsx';
import { importWords } from '../../word/import.ts';

type Status = Schemas['DeviceImport']['status'];

const STATES: Record<Status, Omit<State, 'word'>> = {
  RUNNING: { tone: 'info', shape: 'half' },
  DONE: { tone: 'good', shape: 'check' },
  CANCELLED: { tone: 'idle', shape: 'bar' },
  FAILED: { tone: 'danger', shape: 'cross' },
};

export const importState = (status: Status): State => ({
  ...STATES[status],
  word: importWords().status[status],
});
