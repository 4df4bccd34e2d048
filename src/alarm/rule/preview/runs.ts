import { numberIn } from '../../condition/condition.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { fieldIn } from '../../kind/condition.ts';
import type { Arrived } from '../replay/replay.ts';

/** A time in which the condition of a rule matched at a place (ms). */
export type Run = {
  from: number;
  /** The last fact that matched. */
  last: number;
  /** When the first one came that did not; null: none within the span. */
  to: number | null;
  /** The value farthest back until the next run; null: it has no number, or its condition no side that is back. */
  back: number | null;
};

/** More of them are a rule that nothing in particular can be said of. */
const MAX_RUNS = 10_000;

/** Toward which side a value goes back: -1 where a rule fires above its threshold; null without one threshold. */
export function backSide({ content: { condition } }: Pick<ActiveRule, 'content'>): -1 | 1 | null {
  if (!('threshold' in condition)) return null;
  const { operator } = condition;
  if (operator === '>' || operator === '>=') return -1;
  return operator === '<' || operator === '<=' ? 1 : null;
}

/** The times in which a condition matched at one place, and how far its value went back between them. */
export class Runs {
  readonly rule: ActiveRule;
  readonly all: Run[] = [];
  readonly #field: string | undefined;
  readonly #side: -1 | 1 | null;

  constructor(rule: ActiveRule) {
    this.rule = rule;
    this.#field = fieldIn(rule.content.condition);
    this.#side = backSide(rule);
  }

  get isWhole(): boolean {
    return this.all.length <= MAX_RUNS;
  }

  add({ fact, now }: Arrived, match: boolean): void {
    const run = this.all.at(-1);
    if (match) {
      if (run?.to === null) run.last = fact.at;
      else if (this.isWhole) this.all.push({ from: fact.at, last: fact.at, to: null, back: null });
      return;
    }
    if (!run) return;
    run.to ??= now;
    if (this.#side === null) return;
    const value = numberIn(fact.values, this.#field);
    if (value !== null && (run.back === null || (value - run.back) * this.#side > 0))
      run.back = value;
  }
}
