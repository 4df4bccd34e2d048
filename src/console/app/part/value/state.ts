import type { Schemas } from '../../client/operations.ts';
import { stateWords } from '../../word/state.ts';
import type { State } from './mark.tsx';

type Status = Schemas['Action']['status'];

const DEVICE = {
  online: { tone: 'good', shape: 'disc' },
  offline: { tone: 'danger', shape: 'cross' },
  unknown: { tone: 'idle', shape: 'ring' },
} as const;

export const deviceState = (status: keyof typeof DEVICE): State => ({
  ...DEVICE[status],
  word: stateWords().device[status],
});

const ACTION: Record<Status, Omit<State, 'word'>> = {
  PENDING: { tone: 'info', shape: 'ring' },
  PARTIALLY_CONFIRMED: { tone: 'info', shape: 'half' },
  CONFIRMED: { tone: 'info', shape: 'half' },
  REJECTED: { tone: 'idle', shape: 'bar' },
  EXECUTED: { tone: 'good', shape: 'check' },
  FAILED: { tone: 'danger', shape: 'cross' },
  EXPIRED: { tone: 'idle', shape: 'bar' },
  WITHDRAWN: { tone: 'idle', shape: 'bar' },
  UNKNOWN: { tone: 'warning', shape: 'diamond' },
  MISMATCH: { tone: 'danger', shape: 'diamond' },
};

export const actionState = (status: Status): State => ({
  ...ACTION[status],
  word: stateWords().action[status],
});

const LEVEL = {
  P0: { tone: 'danger', shape: 'triangle' },
  P1: { tone: 'danger', shape: 'diamond' },
  P2: { tone: 'warning', shape: 'square' },
  P3: { tone: 'idle', shape: 'disc' },
} as const;

export const levelState = (level: keyof typeof LEVEL): State => ({
  ...LEVEL[level],
  word: `${level} ${stateWords().level[level]}`,
});

type Alarm = Pick<Schemas['ListedAlarm'], 'state' | 'confirmed'>;

/** How an alarm is: firing, recovered or closed, and whether a person has seen it. */
export function alarmState({ state, confirmed }: Alarm): State {
  const w = stateWords().alarm;
  if (state === 'FIRING')
    return confirmed
      ? { tone: 'warning', shape: 'half', word: w.confirmed }
      : { tone: 'danger', shape: 'triangle', word: w.firing };
  if (state === 'PENDING') return { tone: 'idle', shape: 'ring', word: w.pending };
  if (state === 'CLOSED' || confirmed) return { tone: 'idle', shape: 'bar', word: w.closed };
  return state === null
    ? { tone: 'warning', shape: 'diamond', word: w.reported }
    : { tone: 'good', shape: 'ring', word: w.recovered };
}
