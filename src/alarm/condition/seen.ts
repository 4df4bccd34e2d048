import { fieldIn } from '../kind/condition.ts';
import { withAll } from './aggregate.ts';
import { numberOf } from './condition.ts';
import { type Evaluated, type Fact, type History, matchOf } from './fact.ts';
import { hasPoints, withPoints } from './points.ts';
import { aggregateOf, partsOf, withSample } from './window.ts';

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
  (content.window.mode !== 'LAST' || hasPoints(content) || content.aggregate !== undefined) &&
  !fact.heldFor &&
  !fact.silentFor;

type Known = Pick<History, 'memory' | 'lastFactTime' | 'lastFactSeq'>;

/** A fact as its rule sees it, by what the state of the rule remembers. */
export function seenOf(given: Evaluated, state: Known): Seen {
  const { rule, fact } = given;
  if (!remembers(given)) return { fact, match: matchOf(given), memory: null };
  const { content } = rule;
  const of = content.aggregate ? 'devices' : 'points';
  const joined = content.aggregate
    ? withAll(given, state)
    : hasPoints(content)
      ? withPoints(given, state)
      : { fact, known: undefined };
  if (!joined) return { fact, match: null, memory: null };
  const memory = joined.known ? { ...state.memory, [of]: joined.known } : null;
  const seen = { ...given, fact: joined.fact };
  if (content.window.mode === 'LAST') return { fact: seen.fact, match: matchOf(seen), memory };
  const whole = overWindow(seen, state);
  return {
    ...whole,
    memory: whole.memory || memory ? { ...state.memory, ...memory, ...whole.memory } : null,
  };
}

function overWindow({ rule, fact, now }: Evaluated, { memory }: Known): Seen {
  const { window, condition } = rule.content;
  const { at, pointType: type, seq = 0n } = fact;
  const field = fieldIn(condition) ?? '';
  const parts = partsOf(memory['window']);
  const value = numberOf(fact.values, { field, type });
  const sample = value === null ? null : { at, seq: Number(seq), value };
  const next = sample && withSample(window, parts, sample, now);
  const values = { ...fact.values, [field]: next && aggregateOf(window, next) };
  const seen: Fact = { ...fact, values, pointType: 'DOUBLE' };
  const match = next && matchOf({ rule, fact: seen });
  return { fact: seen, match, memory: next && { window: next } };
}
