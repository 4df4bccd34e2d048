import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { endStored } from '../action/kind/rollout-state.ts';
import { ACTION_STATUS } from '../action/kind/status.ts';

const BATCH = 100;
const { CONFIRMED, UNKNOWN, MISMATCH } = ACTION_STATUS;

/** As long as devices may prove something (src/manager/firmware/open-check.ts), and the time to store it. */
const OPEN_MS = 31 * 86_400_000;

/**
 * Stores the end of roll-outs with their actions, and what devices prove of one that had ended without certainty; a
 * receipt follows. For the sweeper, of all tenants.
 */
export async function endRollouts(app: App): Promise<void> {
  const now = app.clock.now();
  await acrossTenants(app.db, 'sweeper', async (q) => {
    const rows = await q
      .selectFrom('svc_action')
      .innerJoin('svc_firmware_rollout as r', (join) =>
        join
          .onRef('r.tenantId', '=', 'svc_action.tenantId')
          .onRef('r.actionId', '=', 'svc_action.actionId'),
      )
      .select(['svc_action.id', 'svc_action.status', 'svc_action.conversationId'])
      .select(endStored.as('end'))
      .where('svc_action.status', 'in', [CONFIRMED, UNKNOWN, MISMATCH])
      .where('svc_action.actionType', '=', 'proposeFirmware')
      .where('r.status', 'in', ['STOPPED', 'DONE'])
      .where((row) =>
        row.or([
          row('svc_action.status', '=', CONFIRMED),
          row('r.endTime', '>', new Date(now - OPEN_MS)),
        ]),
      )
      .where('svc_action.status', '<>', endStored)
      .orderBy('svc_action.operateTime')
      .limit(BATCH)
      .execute();
    for (const { id, status, conversationId, end } of rows)
      await q
        .updateTable('svc_action')
        .set({ status: end, operateTime: new Date(now), told: conversationId === '' })
        .where('id', '=', id)
        .where('status', '=', status)
        .execute();
  });
}
