import { compares } from '../condition/condition.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import { type Condition, namedLimits } from '../kind/condition.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import type { Watches, Wrong } from './wrong.ts';

const ORDERED: ReadonlySet<string> = new Set(['>', '>=', '<', '<=']);

type Limit = Extract<Condition, { threshold: number }>;

/** Levels of a condition that no limit is in. */
export const withoutLimit = ({ condition, levels }: RuleContent): Wrong | null =>
  levels === undefined || ('threshold' in condition && ORDERED.has(condition.operator))
    ? null
    : { at: 'levels', why: 'levels are of a condition with > >= < or <= and threshold' };

/** A limit of devices, of what is no point of one. */
export const withoutDevice = ({ condition }: RuleContent, { target }: Watches): Wrong | null =>
  namedLimits(condition).length === 0 || target === 'POINT'
    ? null
    : { at: 'condition.attribute', why: 'only points have limits of devices: leave attribute out' };

/** The first level that is not more urgent, or at no farther limit, than that before it, or that no value reaches. */
export function oddLevel(
  { condition, severity, levels = [] }: RuleContent,
  neverOf: (limit: Limit) => string | null,
): Wrong | null {
  if (!('threshold' in condition)) return null;
  const { operator } = condition;
  let before = { severity, threshold: condition.threshold };
  for (const [index, level] of levels.entries()) {
    const at = `levels.${index}`;
    if (AlarmLevel[level.severity] >= AlarmLevel[before.severity])
      return { at, why: `${level.severity} is not more urgent than ${before.severity}` };
    const values = { limit: level.threshold };
    const isFarther =
      level.threshold !== before.threshold &&
      compares(values, { field: 'limit' }, operator, before.threshold);
    if (!isFarther)
      return {
        at,
        why: `its threshold must be farther: ${operator} ${before.threshold} holds for the one before`,
      };
    const why = neverOf({ ...condition, threshold: level.threshold });
    if (why !== null) return { at, why };
    before = level;
  }
  return null;
}
