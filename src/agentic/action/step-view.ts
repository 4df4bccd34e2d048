import { sql } from 'kysely';
import { z } from 'zod';

import { CommandTruth } from '../../data/command/facts.ts';
import { FACT_COLUMNS, type FactColumns, truthOf } from '../../data/command/record.ts';
import { AnswerUuid } from '../../kernel/entity/answer.ts';
import { byName } from '../../kernel/sentence/voice.ts';
import { type Card, WriteView } from './card/card.ts';
import { ageOf, type PresentWrite } from './card/present.ts';
import { wireOf } from './card/wire.ts';
import type { ActionStatus } from './kind/status.ts';
import { STEP_STATUSES, type StepFacts, stepOutcome } from './step-outcome.ts';

/** One of several writes of an action, and what became of it. */
export const StepView = WriteView.extend({
  status: z.enum(STEP_STATUSES),
  say: z.string().describe('All that is known of it, in one sentence'),
  commandId: AnswerUuid.nullable().describe('Once its turn has come'),
  command: CommandTruth.nullable(),
  refusal: z.string().describe('Why the action stopped before it, else empty'),
});
type StepView = z.output<typeof StepView>;

const TIMES = [
  'sendTime',
  'waitingTime',
  'expireTime',
  'seenTime',
  'settledTime',
  'openUntil',
  'reconfiguredTime',
] as const satisfies (keyof FactColumns)[];
type Times = (typeof TIMES)[number];

/** Stored state of a step; times as JSON has them. */
export type StepRow = {
  commandId: string | null;
  refusal: string;
  command: (Omit<FactColumns, Times> & Record<Times, string | null>) | null;
};

const facts = sql.join(FACT_COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(`c.${name}`)]));

/** The steps of `svc_action` in their order, in one column, which costs an action of a single write nothing. */
export const stepRows = sql<
  StepRow[] | null
>`case svc_action.action_type when 'proposeWrites' then (
  select jsonb_agg(jsonb_build_object('commandId', s.command_id, 'refusal', s.refusal,
    'command', case when c.command_id is not null then jsonb_build_object(${facts}) end) order by s.step)
  from svc_action_step s
  left join svc_point_command_history c on c.tenant_id = s.tenant_id and c.command_id = s.command_id
  where s.tenant_id = svc_action.tenant_id and s.action_id = svc_action.action_id) end`;

type Seen = { now: number; seenAt: number; present: readonly PresentWrite[] };

/**
 * `now` as for `truthOf`; `seenAt` is when the current values are compared with their times (both ms since the epoch);
 * `present` is what is known now of each step, none where it does not wait any more.
 */
export const stepsOf = (
  { steps }: Card,
  rows: readonly StepRow[],
  { now, seenAt, present }: Seen,
): (StepFacts & { commandId: string | null })[] =>
  steps.map(({ effect, ...write }, index) => {
    const { commandId = null, refusal = '', command = null } = rows[index] ?? {};
    return {
      ...write,
      currentAge: ageOf(write.currentTime, seenAt),
      now: present[index] ?? null,
      wire: wireOf(effect, write.proposedValue),
      commandId,
      refusal,
      command: command && truthOf(withTimes(command), now),
    };
  });

const withTimes = (command: NonNullable<StepRow['command']>): FactColumns => ({
  ...command,
  sendTime: timeOf(command.sendTime),
  waitingTime: timeOf(command.waitingTime),
  expireTime: timeOf(command.expireTime),
  seenTime: timeOf(command.seenTime),
  settledTime: timeOf(command.settledTime),
  openUntil: timeOf(command.openUntil),
  reconfiguredTime: timeOf(command.reconfiguredTime),
});

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

export const viewOfStep = (
  step: StepFacts & { commandId: string | null },
  action: ActionStatus,
): StepView => ({ ...step, ...stepOutcome(step, action, byName) });
