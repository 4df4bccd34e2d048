import type { State } from '../draw/state.ts';

const STATES: Record<string, State> = {
  PENDING: { tone: 'warning', shape: 'ring', word: 'waits for a decision' },
  PARTIALLY_CONFIRMED: { tone: 'warning', shape: 'half', word: 'waits for a second decision' },
  CONFIRMED: { tone: 'info', shape: 'half', word: 'confirmed, under way' },
  EXECUTED: { tone: 'good', shape: 'check', word: 'done' },
  REJECTED: { tone: 'idle', shape: 'cross', word: 'rejected' },
  WITHDRAWN: { tone: 'idle', shape: 'bar', word: 'withdrawn' },
  EXPIRED: { tone: 'idle', shape: 'bar', word: 'expired' },
  FAILED: { tone: 'danger', shape: 'cross', word: 'not done' },
  MISMATCH: { tone: 'danger', shape: 'diamond', word: 'the device holds another value' },
  UNKNOWN: { tone: 'warning', shape: 'diamond', word: 'not known whether it happened' },
};

export const stateOf = (status: string): State =>
  STATES[status] ?? { tone: 'idle', shape: 'square', word: status };

const WAITING = ['PENDING', 'PARTIALLY_CONFIRMED'];
export const isWaiting = (status: string): boolean => WAITING.includes(status);
/** Whether what comes next is near enough to wait for. */
export const isMoving = (status: string): boolean => isWaiting(status) || status === 'CONFIRMED';

type Step = { word: string; course: 'past' | 'present' | 'stopped' | 'ahead' };

/** What was done, or is to do. */
const WORDS = [
  ['Proposed', 'Proposal'],
  ['Decided', 'Decision'],
  ['Written', 'Write'],
  ['Read back', 'Check'],
] as const;
/** Steps behind, and whether the course ended there. */
const REACHED: Record<string, { past: number; stopped?: true }> = {
  PENDING: { past: 1 },
  PARTIALLY_CONFIRMED: { past: 1 },
  CONFIRMED: { past: 2 },
  EXECUTED: { past: 4 },
  REJECTED: { past: 1, stopped: true },
  WITHDRAWN: { past: 1, stopped: true },
  EXPIRED: { past: 1, stopped: true },
  FAILED: { past: 2, stopped: true },
  UNKNOWN: { past: 2, stopped: true },
  MISMATCH: { past: 3, stopped: true },
};

/** The way of a proposal from left to right. */
export function stepsOf(status: string): Step[] {
  const { past, stopped } = REACHED[status] ?? { past: 1 };
  return WORDS.map(([done, ahead], index) => {
    if (index < past) return { word: done, course: 'past' };
    if (index > past) return { word: ahead, course: 'ahead' };
    return { word: ahead, course: stopped ? 'stopped' : 'present' };
  });
}
