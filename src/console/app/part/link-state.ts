import { link } from '../client/live.ts';
import { stateWords } from '../word/state.ts';
import type { State } from './value/mark.tsx';

const LINKS = {
  off: { tone: 'idle', shape: 'bar' },
  opening: { tone: 'idle', shape: 'ring' },
  live: { tone: 'good', shape: 'disc' },
  away: { tone: 'warning', shape: 'triangle' },
} as const;

/** Whether what is displayed is live. */
export const linkState = (): State => ({
  ...LINKS[link.value],
  word: stateWords().link[link.value],
});
