import type { State } from '../app/part/value/mark.tsx';
import { actionState } from '../app/part/value/state.ts';
import { reviewWords } from '../app/word/proposal/review.ts';
import type { Step } from './action.ts';

/** What is known of one of several writes. */
export function stepState(status: Step['status']): State {
  const w = reviewWords().step;
  if (status === 'WAITING') return { tone: 'idle', shape: 'ring', word: w.waiting };
  if (status === 'UNDERWAY') return { tone: 'info', shape: 'half', word: w.underway };
  if (status === 'NOT_SENT') return { tone: 'idle', shape: 'bar', word: w.notSent };
  return actionState(status);
}
