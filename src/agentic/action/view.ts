import type { Selectable } from 'kysely';

import { NotFound } from '../../core/errors.ts';
import type { CommandTruth } from '../../data/command/facts.ts';
import type { Outcome } from '../../data/command/outcome.ts';
import { truthOf } from '../../data/command/record.ts';
import type { Queries } from '../../db/connect.ts';
import type { ActionTable } from '../../db/schema/agentic.ts';
import { Card, type ShownCard } from './card/card.ts';
import { ageOf } from './card/notes.ts';
import { actionOutcome } from './outcome.ts';
import { type ActionStatus, statusNow } from './status.ts';

/** An action in the shape of all answers: its card, its decision and the outcome of its command. */
export type ActionView = ShownCard &
  Outcome<ActionStatus> & {
    pendingConfirmation: boolean;
    actionType: string;
    conversationId: string;
    proposedVia: string;
    /** Same as `say`; the older name of this field. */
    summary: string;
    digest: string;
    /** Confirming needs the digest: the card was renewed, or names a write of unknown outcome. */
    digestRequired: boolean;
    createTime: string;
    decidedBy: string | null;
    decidedName: string;
    decidedTime: string | null;
    comment: string;
    /** How the current value had moved within its dead-band at the confirmation; else empty. */
    moved: string;
    commandId: string | null;
    /** Outcome of its command; the data center answers the whole receipt. */
    command: CommandTruth | null;
  };

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
  commandSeen: string | null;
  commandSeenTime: Date | null;
  commandSettled: Date | null;
  commandOpenUntil: Date | null;
  commandReconfigured: Date | null;
};
export type ActionRow = Selectable<ActionTable> & CommandColumns;

/** Query for the actions of a tenant, joined with their command; the caller adds the conditions. */
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
      'command.seenValue as commandSeen',
      'command.seenTime as commandSeenTime',
      'command.settledTime as commandSettled',
      'command.openUntil as commandOpenUntil',
      'command.reconfiguredTime as commandReconfigured',
    ])
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
  const { version: _version, tenantId: _tenantId, effect: _effect, ...card } = cardOf(row);
  const decidedAt = (row.decidedTime ?? row.expireTime).getTime();
  const facts = {
    ...card,
    currentAge: ageOf(card.currentTime, Math.min(now, decidedAt)),
    status: statusNow(row, now),
    decidedName: row.decidedName,
    decidedTime: row.decidedTime?.toISOString() ?? null,
    comment: row.comment,
    command: commandOf(row, now),
  };
  const { status, done, say } = actionOutcome(facts);
  return {
    pendingConfirmation: status === 'PENDING' || status === 'PARTIALLY_CONFIRMED',
    actionType: row.actionType,
    ...facts,
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
          seenValue: row.commandSeen,
          seenTime: row.commandSeenTime,
          settledTime: row.commandSettled,
          openUntil: row.commandOpenUntil,
          reconfiguredTime: row.commandReconfigured,
        },
        now,
      );
