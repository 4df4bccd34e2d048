import type { Selectable } from 'kysely';

import type { AttributeType } from '../../bus/topic/topics.ts';
import type { RuleStateTable } from '../../db/schema/alarm.ts';
import { isQuantified } from '../kind/aggregate.ts';
import type { AlarmTarget } from '../kind/alarm.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { HOLDS, matches, type Values } from './condition.ts';
import { isActive } from './schedule.ts';

/** An enabled rule, as it is evaluated. */
export type ActiveRule = {
  id: string;
  name: string;
  code: string;
  target: AlarmTarget;
  entityId: string;
  notifyId: string;
  messageId: string;
  content: RuleContent;
  /** Of devices, by the attributes that its condition names (limit.ts). */
  limits?: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The names of the devices that it watches, by id, of a rule of chosen ones (devices.ts). */
  devices?: ReadonlyMap<string, string>;
  /** Of the groups that it judges together. */
  groupNames?: readonly string[];
  /** Time of the last change (ms); a rule with another time is outdated. */
  since: number;
};

/** The values of an entity at one time, input of rules. */
export type Fact = {
  entityId: string;
  deviceId: string;
  driverId: string;
  pointId: string;
  /** Of the point; absent for other facts. */
  pointType?: AttributeType | undefined;
  values: Values;
  /** Origin time (ms), capped at reception; a fact older than the newest processed one is ignored. */
  at: number;
  /** Order of facts with the same millisecond; absent = 0. */
  seq?: bigint;
  /** The point that the values are of, where the rule watches another of the device. */
  source?: string;
  /** The device that the values are of, where the rule judges several together. */
  member?: string;
  /** How old a value of the device may be until a newer one is overdue (ms). */
  staleMs?: number;
  /** Set by the scan for silence: the `nodata` rule that this fact fires. */
  silentFor?: string;
  /** The scan for hold times sets the id of the rule whose condition, or recovery, lasts since the values came. */
  heldFor?: string;
  /** Id of the reported event, equal at every redelivery. */
  reportId?: string;
};

/** A fact, the rule that is evaluated on it, and when it came. */
export type Evaluated = { rule: ActiveRule; fact: Fact; now: number };

/** Devices of one profile share its points, so the fingerprint has the device. */
export const fingerprintOf = ({ rule, fact }: Pick<Evaluated, 'rule' | 'fact'>): string =>
  `${rule.id}:${rule.target}:${fact.entityId}:${fact.deviceId}`;

/** What a state remembers from fact to fact. */
export type History = Pick<
  Selectable<RuleStateTable>,
  | 'entityStateFlag'
  | 'holdingSince'
  | 'firstTriggerTime'
  | 'lastTriggerTime'
  | 'lastRecoverTime'
  | 'lastFactTime'
  | 'lastFactSeq'
  | 'triggerCount'
  | 'entityStateExt'
  | 'memory'
>;

/** Whether the fact matches; null if it does not decide the condition. */
export function matchOf({ rule, fact }: Pick<Evaluated, 'rule' | 'fact'>): boolean | null {
  const { condition, recovery, aggregate } = rule.content;
  if (fact.silentFor)
    return condition.operator === 'nodata' && isActive(rule.content, fact.at) ? true : null;
  const held = fact.values[HOLDS];
  const met = isQuantified(aggregate)
    ? typeof held === 'boolean'
      ? held
      : null
    : matches(condition, fact.values, fact.pointType);
  const match = met === true ? isActive(rule.content, fact.at) : met;
  // Events have no duration, so another event of the device is no recovery.
  return rule.target === 'EVENT' && !match && !recovery.operator ? null : match;
}
