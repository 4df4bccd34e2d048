import type { Schemas } from '../../../client/operations.ts';
import type { Hours } from './rule-hours.ts';
import type { Length } from './rule-length.ts';
import type { Content, Plain, Second } from './rule-second.ts';

type Rule = Schemas['Rule'];
export type Target = Rule['alarmTargetTypeFlag'];
type Level = NonNullable<Content['severity']>;
export type Operator = Plain['operator'];
type Window = NonNullable<Content['window']>;
type Aggregate = NonNullable<Content['aggregate']>['function'];
export type Mode = NonNullable<Window['mode']>;

/** What a person has entered so far; numbers as they were typed. */
export type Draft = {
  ruleName: string;
  remark: string;
  isEnabled: boolean;
  target: Target;
  entityId: string;
  /** Whether chosen devices and those of chosen groups are watched, not every one; and which. */
  areChosen: boolean;
  deviceIds: readonly string[];
  groupIds: readonly string[];
  /** Whether each of them is judged, or what all of them come to; and how many must match, and have a value. */
  aggregate: Aggregate | 'EACH';
  atLeast: string;
  withValue: string;
  /** A stored condition that the form does not have; null: it has it. */
  other: Content['condition'] | null;
  field: string;
  formula: string;
  second: Second;
  /** Of a deviation: the group whose median it is from, empty: none yet; and the devices that it needs. */
  groupId: string;
  minDevices: string;
  operator: Operator;
  limit: string;
  /** Of devices with a limit of their own; empty: none. */
  attribute: string;
  low: string;
  high: string;
  text: string;
  held: Length;
  /** The longest time without a value in which what must hold still does; empty: any. */
  gap: Length;
  mode: Mode;
  /** The time whose values count, and that in which a rate is the change; with the last value neither. */
  over: Length;
  per: Length;
  minSamples: string;
  ends: 'plain' | 'own' | 'never';
  endOperator: NonNullable<NonNullable<Content['recovery']>['operator']>;
  endLimit: string;
  endHeld: Length;
  level: Level;
  levels: readonly { severity: Level; threshold: string }[];
  hours: Hours;
  instruction: string;
  notifyId: string;
  messageId: string;
};
