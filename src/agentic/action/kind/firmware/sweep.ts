import type { App } from '../../../../app.ts';
import { acrossTenants } from '../../../../db/tenant.ts';
import { ACTION_STATUS, statusesBefore } from '../../status.ts';
import { rolloutEnd, rolloutRow, rolloutState } from './rollout-state.ts';

const BATCH = 100;
/** For as long a device of a roll-out may still say what it runs. */
const OPEN_MS = 8 * 24 * 3_600_000;

/**
 * Stores the end of roll-outs with their actions, and the proof of one that had ended unknown; a receipt follows. For
 * the sweeper, of all tenants.
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
      .select(['svc_action.id', 'svc_action.conversationId'])
      .select(rolloutRow.as('rollout'))
      .where('svc_action.status', 'in', [ACTION_STATUS.CONFIRMED, ACTION_STATUS.UNKNOWN])
      .where('svc_action.actionType', '=', 'proposeFirmware')
      .where('r.status', 'in', ['STOPPED', 'DONE'])
      .where((row) =>
        row.or([
          row('svc_action.status', '=', ACTION_STATUS.CONFIRMED),
          row('r.endTime', '>', new Date(now - OPEN_MS)),
        ]),
      )
      .orderBy('svc_action.status')
      .orderBy('svc_action.operateTime')
      .limit(BATCH)
      .execute();
    for (const { id, conversationId, rollout } of rows) {
      const end = rollout && rolloutEnd(rolloutState(rollout));
      if (!end) continue;
      await q
        .updateTable('svc_action')
        .set({
          status: ACTION_STATUS[end],
          operateTime: new Date(now),
          told: conversationId === '',
        })
        .where('id', '=', id)
        .where('status', 'in', statusesBefore(end))
        .execute();
    }
  });
}
