import type { Selectable } from 'kysely';
import { z } from 'zod';

import { CommandTruth, outcome } from '../../data/command/facts.ts';
import { truthOf } from '../../data/command/record.ts';
import type { Queries } from '../../db/connect.ts';
import type { ActionTable } from '../../db/schema/agentic.ts';
import { AnswerId, AnswerUuid, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { Card, CardView } from './card/card.ts';
import { Note, notesOf } from './card/notes.ts';
import { ageOf, presentOf, type PresentRow, presentRows } from './card/present.ts';
import { wireOf } from './card/wire.ts';
import { firmwareView } from './card/words/firmware-words.ts';
import { DoneResult, alarmView } from './kind/alarm-card.ts';
import { kindOf } from './kind/name.ts';
import { type RolloutRow, rolloutRow } from './kind/rollout-state.ts';
import { ACTION_STATUS, statusNow } from './kind/status.ts';
import { actionOutcome } from './outcome.ts';
import { type StepRow, stepRows, stepsOf, StepView, viewOfStep } from './step-view.ts';

/** An action in the shape of all answers: its card, its decision and the outcome of its command. */
export const ActionView = CardView.extend({
  pendingConfirmation: z.boolean(),
  actionType: z.string(),
  notes: z
    .array(Note)
    .describe(
      'What a person should know before the decision; empty once it does not wait any more',
    ),
  title: z.string().describe('What it is about, in words of the platform and names of its devices'),
  status: nameIn(ACTION_STATUS),
  done: outcome.done,
  say: outcome.say,
  summary: z.string().describe('Same as say; the older name of this field'),
  conversationId: z.string().describe('Empty: proposed outside a conversation'),
  proposedVia: z.string().meta({ examples: ['model'] }),
  digest: z.string().meta({
    description: 'SHA-256 of the card; a confirmation is bound to it',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  digestRequired: z
    .boolean()
    .describe(
      'Confirming needs the digest: the card was renewed, names a write of unknown outcome or texts of others that were read before, or is of several writes, firmware, alarms or an onboarding',
    ),
  createTime: IsoTime,
  decidedBy: AnswerId.nullable(),
  decidedName: z.string().meta({ examples: ['admin'] }),
  decidedTime: IsoTime.nullable(),
  beforehand: z
    .object({ approvalId: AnswerUuid, left: z.number().int() })
    .nullable()
    .describe('The standing approval that decided, and how many uses it then had left; else null'),
  comment: z.string(),
  moved: z
    .string()
    .describe(
      'How the current value had moved within its dead-band at the confirmation; else empty',
    ),
  result: DoneResult.nullable().describe('Of what was done of alarms or an onboarding'),
  commandId: AnswerUuid.nullable(),
  command: CommandTruth.nullable().describe(
    'Outcome of its command; the data center answers the whole receipt',
  ),
  steps: z
    .array(StepView)
    .describe(
      'Several writes in their order, else empty; the fields of the card are then those of the first, the command ' +
        'that of the last one sent',
    ),
}).meta({ id: 'Action' });
export type ActionView = z.output<typeof ActionView>;

/** All null while an action has no command. */
type CommandColumns = {
  commandType: number | null;
  commandRequest: string | null;
  commandResponse: string | null;
  commandBefore: string | null;
  commandStatus: number | null;
  commandVerification: number | null;
  commandReadBack: string | null;
  commandError: string | null;
  commandSent: Date | null;
  commandWaiting: Date | null;
  commandExpire: Date | null;
  commandSeen: string | null;
  commandSeenTime: Date | null;
  commandSettled: Date | null;
  commandOpenUntil: Date | null;
  commandReconfigured: Date | null;
};
export type ActionRow = Selectable<ActionTable> &
  CommandColumns & {
    steps: StepRow[] | null;
    rollout: RolloutRow | null;
    present: PresentRow[] | null;
  };

/** Query for the actions of a tenant, joined with their commands; the caller adds the conditions. */
export const actionsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_action')
    .leftJoin('svc_point_command_history as command', (join) =>
      join
        .onRef('command.commandId', '=', 'svc_action.commandId')
        .onRef('command.tenantId', '=', 'svc_action.tenantId'),
    )
    .selectAll('svc_action')
    .select([
      'command.type as commandType',
      'command.requestValue as commandRequest',
      'command.responseValue as commandResponse',
      'command.beforeValue as commandBefore',
      'command.status as commandStatus',
      'command.verification as commandVerification',
      'command.readBackValue as commandReadBack',
      'command.errorCode as commandError',
      'command.sendTime as commandSent',
      'command.waitingTime as commandWaiting',
      'command.expireTime as commandExpire',
      'command.seenValue as commandSeen',
      'command.seenTime as commandSeenTime',
      'command.settledTime as commandSettled',
      'command.openUntil as commandOpenUntil',
      'command.reconfiguredTime as commandReconfigured',
    ])
    .select(stepRows.as('steps'))
    .select(rolloutRow.as('rollout'))
    .select(presentRows.as('present'))
    .where('svc_action.tenantId', '=', tenantId);

/** Throws NotFound for an action that is missing or another tenant's. */
export async function requireAction(
  q: Queries,
  tenantId: string,
  actionId: string,
): Promise<ActionRow> {
  const row = await actionsOf(q, tenantId)
    .where('svc_action.actionId', '=', actionId)
    .executeTakeFirst();
  if (!row) throw new NotFound('Action');
  return row;
}

export const cardOf = (row: Pick<ActionRow, 'payload'>): Card => Card.parse(row.payload);

/** `now` (milliseconds since the epoch) decides whether a pending action has expired. */
export function viewOf(row: ActionRow, now: number): ActionView {
  const whole = cardOf(row);
  const { version: _version, tenantId: _tenantId, effect, steps: _steps, ...card } = whole;
  const decidedAt = (row.decidedTime ?? row.expireTime).getTime();
  const seenAt = Math.min(now, decidedAt);
  const status = statusNow(row, now);
  const isOpen = status === 'PENDING' || status === 'PARTIALLY_CONFIRMED';
  const kind = kindOf(whole);
  const isWrite = kind === 'write' || kind === 'plan';
  const present = isOpen && isWrite ? (row.present ?? []).map((one) => presentOf(one, now)) : [];
  const facts = {
    ...card,
    kind,
    firmware: card.firmware && firmwareView(card.firmware, row.rollout),
    alarm: card.alarm && alarmView(card.alarm),
    result: DoneResult.nullable().parse(row.result),
    currentAge: ageOf(card.currentTime, seenAt),
    now: present[0] ?? null,
    wire: wireOf(effect, card.proposedValue),
    status,
    decidedName: row.decidedName,
    decidedTime: row.decidedTime?.toISOString() ?? null,
    comment: row.comment,
    beforehand:
      row.approvalId === null ? null : { approvalId: row.approvalId, left: row.approvalLeft ?? 0 },
    command: commandOf(row, now),
    steps: stepsOf(whole, row.steps ?? [], { now, seenAt, present }),
  };
  const { done, say } = actionOutcome(facts);
  return {
    pendingConfirmation: isOpen,
    notes: isOpen ? notesOf(facts) : [],
    actionType: row.actionType,
    title: row.title,
    ...facts,
    steps: facts.steps.map((step) => viewOfStep(step, status)),
    done,
    say,
    summary: say,
    conversationId: row.conversationId,
    proposedVia: row.proposedVia,
    digest: row.digest,
    digestRequired: row.digestRequired,
    createTime: row.createTime.toISOString(),
    decidedBy: row.decidedBy === '0' ? null : row.decidedBy,
    moved: row.description,
    commandId: row.commandId,
  };
}

const commandOf = (row: CommandColumns, now: number): CommandTruth | null =>
  row.commandStatus === null || row.commandType === null || row.commandVerification === null
    ? null
    : truthOf(
        {
          type: row.commandType,
          requestValue: row.commandRequest,
          responseValue: row.commandResponse,
          beforeValue: row.commandBefore,
          status: row.commandStatus,
          verification: row.commandVerification,
          readBackValue: row.commandReadBack,
          errorCode: row.commandError ?? '',
          sendTime: row.commandSent,
          waitingTime: row.commandWaiting,
          expireTime: row.commandExpire,
          seenValue: row.commandSeen,
          seenTime: row.commandSeenTime,
          settledTime: row.commandSettled,
          openUntil: row.commandOpenUntil,
          reconfiguredTime: row.commandReconfigured,
        },
        now,
      );
