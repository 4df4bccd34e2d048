import type { z } from 'zod';

import { BadRequest } from '../../../kernel/errors.ts';
import { flag, nameOf } from '../../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../../kernel/input/id.ts';
import { exact } from '../../../kernel/input/input.ts';
import { Moment } from '../../../kernel/input/moment.ts';
import { AlarmTarget } from '../../kind/alarm.ts';
import { RuleExt } from '../../kind/rule-ext.ts';
import type { Span } from '../replay/stored-facts.ts';
import type { Rule } from '../rule.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 7 * DAY_MS;
const MAX_SPAN_MS = 31 * DAY_MS;

export const PreviewRule = exact({
  pointId: Id.optional().describe('In place of the target POINT with its entityId'),
  alarmTargetTypeFlag: flag(AlarmTarget).optional(),
  entityId: IdOrZero.optional().describe('0, and without it: every entity of the target'),
  deviceId: Id.optional().describe('Of a rule on a point, or on every entity: this device alone'),
  ruleExt: RuleExt,
  ruleId: Id.optional().describe('The stored rule, for the alarms that it did raise'),
  from: Moment.optional(),
  to: Moment.optional(),
});
export type PreviewRule = z.infer<typeof PreviewRule>;

/** A stored rule as the thing to try. */
export const watchedBy = ({
  alarmTargetTypeFlag: target,
  entityId,
}: Pick<Rule, 'alarmTargetTypeFlag' | 'entityId'>): Pick<
  PreviewRule,
  'alarmTargetTypeFlag' | 'entityId'
> => ({ alarmTargetTypeFlag: AlarmTarget[target], entityId });

/** What a rule watches. */
export type Watched = {
  target: AlarmTarget;
  /** 0: every entity of the target. */
  entityId: string;
  deviceId: string | undefined;
};

/** Throws BadRequest where it is not said what the rule watches, said twice, or where a device contradicts it. */
export function watchedIn({
  pointId,
  alarmTargetTypeFlag: target,
  entityId,
  deviceId,
}: Omit<PreviewRule, 'ruleExt'>): Watched {
  if (pointId !== undefined) {
    if (target !== undefined || entityId !== undefined)
      throw new BadRequest('pointId says what the rule watches: leave target and entityId out');
    return { target: 'POINT', entityId: pointId, deviceId };
  }
  if (target === undefined)
    throw new BadRequest('alarmTargetTypeFlag with entityId, or pointId: what does it watch?');
  const of = { target: nameOf(AlarmTarget, target), entityId: entityId ?? '0', deviceId };
  if (deviceId === undefined || of.target === 'POINT') return of;
  if (of.target === 'DRIVER') throw new BadRequest('deviceId: the rule watches drivers');
  if (of.entityId !== '0') throw new BadRequest('deviceId: the rule watches one device already');
  return of;
}

/** Throws BadRequest for a span that is empty or too long; what lies ahead is left out. */
export function spanOf({ from, to }: Pick<PreviewRule, 'from' | 'to'>, now: number): Span {
  const until = Math.min(to ?? now, now);
  const since = from ?? Math.max(0, until - DEFAULT_SPAN_MS);
  if (since >= until) throw new BadRequest('from must be before to, and not ahead');
  if (until - since > MAX_SPAN_MS) throw new BadRequest('A preview has at most 31 days');
  return { from: since, to: until };
}
