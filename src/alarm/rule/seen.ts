import { numberOf } from './condition.ts';
import { type Evaluated, type Fact, type History, matchOf } from './decide.ts';
import { over, partsOf, withSample } from './window.ts';

/** What a rule sees of a fact: its values as the rule compares them. */
export type Seen = {
  fact: Fact;
  /** Null if it does not decide the condition. */
  match: boolean | null;
  /** What the state remembers from then on; null: as before. */
  memory: Record<string, unknown> | null;
};

/** Whether a rule compares more than the fact that it is given. */
export const remembers = ({ rule: { content }, fact }: Pick<Evaluated, 'rule' | 'fact'>): boolean =>
  content.window.mode !== 'LAST' && !fact.heldFor && !fact.silentFor;

/** A fact as its rule sees it, by what the state of the rule remembers. */
export function seenOf(given: Evaluated, { memory }: Pick<History, 'memory'>): Seen {
  const { rule, fact, now } = given;
  if (!remembers(given)) return { fact, match: matchOf(given), memory: null };
  const { window, condition } = rule.content;
  const { at, pointType: type, seq = 0n } = fact;
  const field = condition.field ?? '';
  const parts = partsOf(memory['window']);
  const value = numberOf(fact.values, { field, type });
  const next =
    value === null ? null : withSample(window, parts, { at, seq: Number(seq), value }, now);
  const values = { ...fact.values, [field]: next && over(window, next) };
  const seen: Fact = { ...fact, values, pointType: 'DOUBLE' };
  const match = next && matchOf({ rule, fact: seen });
  return { fact: seen, match, memory: next && { ...memory, window: next } };
}
