import type { Selectable } from 'kysely';

import { NotFound } from '../../core/errors.ts';
import { nameOf } from '../../core/input/flag.ts';
import { CommandStatus, Verification } from '../../data/command/command-state.ts';
import type { Queries } from '../../db/connect.ts';
import type { ActionTable } from '../../db/schema/agentic.ts';
import { Card, type ShownCard, summaryOf } from './action-card.ts';
import { type ActionStatus, statusNow } from './action-status.ts';

/** What became of the action's command; the whole receipt is the data center's to give. */
type CommandTruth = {
  status: CommandStatus;
  verification: keyof typeof Verification;
  readBackValue: string | null;
  errorCode: string;
};

/** An Action as it is answered everywhere: its card, its decision and its command's truth. */
export type ActionView = ShownCard & {
  pendingConfirmation: boolean;
  status: ActionStatus;
  actionType: string;
  conversationId: string;
  proposedVia: string;
  summary: string;
  digest: string;
  /** The card was renewed: confirming demands its digest. */
  digestRequired: boolean;
  createTime: string;
  decidedBy: string | null;
  decidedName: string;
  decidedTime: string | null;
  comment: string;
  commandId: string | null;
  command: CommandTruth | null;
};

type CommandColumns = {
  commandStatus: number | null;
  commandVerification: number | null;
  commandReadBack: string | null;
  commandError: string | null;
};
export type ActionRow = Selectable<ActionTable> & CommandColumns;

/** Actions of a tenant with the end of their command beside them; the caller adds what to look for. */
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
      'command.status as commandStatus',
      'command.verification as commandVerification',
      'command.readBackValue as commandReadBack',
      'command.errorCode as commandError',
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

/** `now` in milliseconds since the epoch decides whether a pending one has expired. */
export function viewOf(row: ActionRow, now: number): ActionView {
  const { version: _version, tenantId: _tenantId, ...card } = cardOf(row);
  const status = statusNow(row, now);
  return {
    pendingConfirmation: status === 'PENDING' || status === 'PARTIALLY_CONFIRMED',
    status,
    actionType: row.actionType,
    ...card,
    conversationId: row.conversationId,
    proposedVia: row.proposedVia,
    summary: summaryOf(card),
    digest: row.digest,
    digestRequired: row.digestRequired,
    createTime: row.createTime.toISOString(),
    decidedBy: row.decidedBy === '0' ? null : row.decidedBy,
    decidedName: row.decidedName,
    decidedTime: row.decidedTime?.toISOString() ?? null,
    comment: row.comment,
    commandId: row.commandId,
    command: commandOf(row),
  };
}

const commandOf = (row: CommandColumns): CommandTruth | null =>
  row.commandStatus === null
    ? null
    : {
        status: nameOf(CommandStatus, row.commandStatus),
        verification: nameOf(Verification, row.commandVerification ?? 0),
        readBackValue: row.commandReadBack,
        errorCode: row.commandError ?? '',
      };
