import { ticking } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { stateWords } from '../../word/state.ts';
import { Chip, type State } from './mark.tsx';

type Given = {
  value: Pick<
    Schemas['LiveValue'],
    'hasLatestValue' | 'createTime' | 'quality' | 'expectedIntervalS'
  >;
};

/** A value is old when it has missed three of its times. */
const MISSED = 3;

/** What is to be said of a value beside it: that there is none, that it is old or not good. Nothing of a good one. */
export function ValueChip({ value }: Given) {
  const state = valueState(value);
  return state && <Chip {...state} />;
}

/** Null for a fresh and good value. */
export function valueState(value: Given['value']): State | null {
  const w = stateWords();
  if (!value.hasLatestValue) return { tone: 'idle', shape: 'ring', word: w.value.none };
  if (value.quality === 'BAD') return { tone: 'danger', shape: 'cross', word: w.quality.BAD };
  const ageMs = value.createTime === null ? 0 : ticking.value - Date.parse(value.createTime);
  if (value.expectedIntervalS > 0 && ageMs > value.expectedIntervalS * MISSED * 1_000)
    return { tone: 'warning', shape: 'half', word: w.value.stale };
  if (value.quality === 'UNCERTAIN')
    return { tone: 'warning', shape: 'diamond', word: w.quality.UNCERTAIN };
  return null;
}
