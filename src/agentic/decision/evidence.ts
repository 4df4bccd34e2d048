import { takeChangedWrites } from '../../data/result/changed-write.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { auditBySystem } from '../action/audit.ts';
import { ACTION_STATUS, statusesBefore } from '../action/kind/status.ts';
import { requireAction, viewOf } from '../action/view.ts';

const BATCH = 200;

/** Stores with each action the result of a reading after its unknown write; a receipt follows. */
export async function noteEvidence(app: App): Promise<void> {
  await acrossTenants(app.db, 'sweeper', async (q) => {
    const news = await takeChangedWrites(q, BATCH);
    for (const { tenantId, actionId } of news) await note(app, q, tenantId, actionId);
  });
}

async function note(app: App, q: Queries, tenantId: string, actionId: string): Promise<void> {
  const at = new Date(app.clock.now());
  const row = await requireAction(q, tenantId, actionId);
  const view = viewOf(row, at.getTime());
  const { status, command } = view;
  // Several writes that had stopped at the unknown one end FAILED once it is proved.
  if (status !== 'EXECUTED' && status !== 'UNKNOWN' && status !== 'FAILED') return;
  const updated = await q
    .updateTable('svc_action')
    .set({
      status: ACTION_STATUS[status],
      operateTime: at,
      told: row.conversationId === '',
    })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .where('status', 'in', [...statusesBefore(status), ACTION_STATUS.UNKNOWN])
    .returning('id')
    .executeTakeFirst();
  if (!updated) return;
  await auditBySystem(q, tenantId, {
    action: 'action:evidence',
    actionId,
    title: row.title,
    detail: { status, commandId: row.commandId, seen: command?.seen ?? null },
    at,
  });
}
