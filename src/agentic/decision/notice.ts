import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { ACTION_STATUS, END_STATUSES, isEnd } from '../action/kind/status.ts';
import { receiptText } from '../action/receipt-text.ts';
import { type ActionRow, type ActionView, requireAction, viewOf } from '../action/view.ts';
import { append } from '../session/message.ts';
import { lockSession } from '../session/session.ts';

const BATCH = 200;

export type UnsentOutcome = Record<'tenantId' | 'userId' | 'conversationId' | 'actionId', string>;

/**
 * Writes the receipt of an ended action into its conversation, once even with concurrent callers. An action
 * that ended without certainty may get two more: for the first reading after it, and for what proves its end.
 * Writes none when the conversation was deleted.
 */
async function notify(
  app: App,
  { tenantId, userId, conversationId, actionId }: UnsentOutcome,
): Promise<void> {
  const ended = await inTenant(app.db, tenantId, async (q) => {
    // Locks the conversation before the action, in the same order as src/agentic/chat/removal.ts.
    const [isThere, row] = await Promise.all([
      lockSession(q, { tenantId, userId, conversationId }),
      requireAction(q, tenantId, actionId),
    ]);
    const view = viewOf(row, app.clock.now());
    if (!isEnd(view.status)) return null;
    const [first, step] = await Promise.all([
      q
        .updateTable('svc_action')
        // Stores the reported status in the same update: no decision can follow a reported expiry.
        .set({ told: true, status: ACTION_STATUS[view.status] })
        .where('tenantId', '=', tenantId)
        .where('actionId', '=', actionId)
        .where('status', '=', row.status)
        .where('told', '=', false)
        .returning('id')
        .executeTakeFirst(),
      nextStep(q, row, view),
    ]);
    if (!first) return null;
    if (!isThere) return view.status;
    await append(app, q, { tenantId, principalId: userId }, conversationId, {
      role: 'assistant',
      content: {
        text: receiptText(view),
        tools: [],
        actions: [actionId],
        receipt: receiptOf(view, row.toolCallId),
      },
      model: '',
      isFinished: true,
      receiptOf: { actionId, step },
    });
    return view.status;
  });
  if (ended) app.metrics.add('svc_actions_total', { outcome: ended });
}

async function nextStep(
  q: Queries,
  row: ActionRow,
  { status, command }: ActionView,
): Promise<0 | 1 | 2> {
  const earlier = await q
    .selectFrom('svc_message')
    .select('id')
    .where('tenantId', '=', row.tenantId)
    .where('actionId', '=', row.actionId)
    .executeTakeFirst();
  if (!earlier) return 0;
  return status !== 'UNKNOWN' || command?.settledTime ? 2 : 1;
}

/** Facts of a receipt; `toolCallId` is the call that proposed the action. */
const receiptOf = (view: ActionView, toolCallId: string) => ({
  actionId: view.actionId,
  toolCallId,
  status: view.status,
  done: view.done,
  say: view.say,
  deviceId: view.deviceId,
  pointId: view.pointId,
  proposedValue: view.proposedValue,
  unit: view.unit,
  decidedName: view.decidedName,
  commandId: view.commandId,
  command: view.command,
  ...(view.steps.length > 0 && { steps: view.steps }),
  ...(view.firmware && { kind: view.kind, firmware: view.firmware.receipt }),
});

/** Writes the receipt of this action if it has ended; the sweeper repeats a failed attempt. */
export async function notifyOutcome(
  app: App,
  row: UnsentOutcome & { told: boolean },
): Promise<void> {
  if (!row.told) await notifyOutcomes(app, [row]);
}

/** Writes the missing receipts of all tenants; for the sweeper. */
export async function notifyAllOutcomes(app: App): Promise<void> {
  const unsent = await acrossTenants(app.db, 'sweeper', endedUnsent);
  await notifyOutcomes(app, unsent);
}

/** A receipt that fails is logged and does not stop the others. */
export async function notifyOutcomes(app: App, unsent: readonly UnsentOutcome[]): Promise<void> {
  for (const one of unsent) {
    await notify(app, one).catch((error: unknown) =>
      app.log.error({ error, actionId: one.actionId }, 'action receipt not written, retrying'),
    );
  }
}

const endedUnsent = (q: Queries): Promise<UnsentOutcome[]> =>
  q
    .selectFrom('svc_action')
    .select(['tenantId', 'userId', 'conversationId', 'actionId'])
    .where('told', '=', false)
    .where('status', 'in', END_STATUSES)
    .orderBy('operateTime')
    .limit(BATCH)
    .execute();
