import { z } from 'zod';

import { RULE_TERMS } from '../../../alarm/explain/rule-terms.ts';
import { Unknown } from '../../../alarm/rule/preview/preview-answer.ts';
import { Doubt } from '../../../alarm/validation/sense.ts';

const DAYS = 7;
export const BACKTEST_MS = DAYS * 86_400_000;

/** What a rule would have raised on what is stored, when it was proposed. */
const Backtest = z.object({
  from: z.string(),
  to: z.string(),
  before: z
    .number()
    .int()
    .nullable()
    .describe('By the stored rule; null: the rule is new, or cannot be tried as it is'),
  after: z.number().int().describe('By the proposed one'),
  devices: z.number().int(),
  values: z.number().int(),
  leftOut: z.array(z.string()).describe('What there was too much of to look at all of it'),
  unknown: z.array(Unknown).default([]).describe('What is not stored, so that it may differ'),
  warnings: z.array(Doubt),
});
export type Backtest = z.output<typeof Backtest>;

const Level = z.enum(['P0', 'P1', 'P2', 'P3']);

const rule = {
  ruleName: z.string(),
  /** `point` of a rule on a point, else empty. */
  pointId: z.string(),
  watches: z.string().describe('Name of the point, device or driver; empty: every one'),
  condition: z.string().meta({ examples: ['value > 80 °C for 10 min'] }),
  level: Level,
  instruction: z.string().describe('What to do when it fires; empty without one'),
  notifyName: z.string().default('').describe('The policy that notifies; empty: none'),
  terms: z
    .array(z.object({ of: z.enum(RULE_TERMS), words: z.string(), wordsBefore: z.string() }))
    .default([])
    .describe('What else the rule says, and said before; empty texts: not set'),
  /** The whole rule as it would be stored; covered by the digest, shown in words. */
  content: z.record(z.string(), z.unknown()),
  backtest: Backtest.nullable().describe('null: its proposer may not read what it watches'),
};

const AddRule = z.object({
  does: z.literal('ADD_RULE'),
  ...rule,
  deviceId: z
    .string()
    .default('')
    .describe('Of a rule on the state of a device; empty of a rule on a point'),
  notifyId: z.string(),
});
const ChangeRule = z.object({
  does: z.literal('CHANGE_RULE'),
  ruleId: z.string(),
  /** Of the rule when it was proposed: a later one refuses the proposal. */
  basis: z.string().describe('When the rule was changed last that it changes'),
  conditionBefore: z.string(),
  levelBefore: Level,
  instructionBefore: z.string().default(''),
  ...rule,
});

const Silence = z.object({
  does: z.literal('SILENCE'),
  alarmId: z.string(),
  level: Level,
  what: z.string().describe('What its alarm says'),
  place: z.string(),
  hours: z.number().describe('From the confirmation'),
  already: z
    .object({ until: z.string(), by: z.string() })
    .nullable()
    .default(null)
    .describe('The silence that is there, which this one replaces'),
});

const Confirm = z.object({
  does: z.literal('CONFIRM'),
  alarms: z.array(
    z.object({
      alarmId: z.string(),
      source: z.enum(['driver', 'device', 'point']),
      level: Level,
      what: z.string(),
      place: z.string(),
      since: z.string(),
    }),
  ),
});

const Maintenance = z.object({
  does: z.literal('MAINTENANCE'),
  maintenanceName: z.string(),
  scope: z.enum(['PLANT', 'DRIVER', 'GROUP', 'LABEL', 'DEVICE']),
  entityIds: z.array(z.string()),
  places: z.array(z.string()).describe('Names of what it is for; none: the whole plant'),
  mode: z.enum(['MUTE', 'MARK']),
  begin: z.string().nullable().describe('null: at the confirmation'),
  end: z.string(),
  devices: z.number().int().describe('How many it would cover when it was proposed'),
  firing: z.number().int().describe('How many alarms fired there then'),
});

/** What is proposed of alarms and their rules (docs/specification/actions.md, Alarms). */
export const AlarmCard = z.discriminatedUnion('does', [
  AddRule,
  ChangeRule,
  Silence,
  Confirm,
  Maintenance,
]);
export type AlarmCard = z.output<typeof AlarmCard>;

const shown = { content: true } as const;

/** The same in the shape of all answers. */
export const AlarmView = z
  .discriminatedUnion('does', [
    AddRule.omit(shown),
    ChangeRule.omit(shown),
    Silence,
    Confirm,
    Maintenance,
  ])
  .meta({ id: 'ActionAlarm' });
export type AlarmView = z.output<typeof AlarmView>;

/** What became of a proposal once it was confirmed, of the kinds that are done at once. */
export const DoneResult = z.object({
  ruleId: z.string().nullable().describe('The rule that was added or changed, else null'),
  alarms: z.number().int().nullable().describe('How many alarms were confirmed, else null'),
  until: z.string().nullable().describe('When the silence or the maintenance ends, else null'),
  maintenanceId: z.string().nullable().default(null).describe('Of a maintenance, else null'),
  deviceId: z.string().nullable().default(null).describe('Of an onboarding, else null'),
});
export type DoneResult = z.output<typeof DoneResult>;

export const NOTHING_DONE: DoneResult = {
  ruleId: null,
  alarms: null,
  until: null,
  maintenanceId: null,
  deviceId: null,
};

export const alarmView = (card: AlarmCard): AlarmView => {
  if (!('content' in card)) return card;
  const { content: _content, ...rest } = card;
  return rest;
};
