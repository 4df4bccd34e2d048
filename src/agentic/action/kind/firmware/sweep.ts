import { sql } from 'kysely';

import type { App } from '../../../../app.ts';
import { acrossTenants } from '../../../../db/tenant.ts';
import { ACTION_STATUS, statusesBeforeRollout } from '../../status.ts';
import { rolloutEnd, rolloutRow, rolloutState } from './rollout-state.ts';

const BATCH = 100;
const { CONFIRMED, UNKNOWN, MISMATCH } = ACTION_STATUS;

/** SQL: a device of the roll-out has proved something since its action ended. */
const isCorrected = sql<boolean>`exists (select from svc_firmware_update u
  where u.tenant_id = r.tenant_id and u.rollout_id = r.id and u.corrected_time >= svc_action.operate_time)`;

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
      .select(['svc_action.id', 'svc_action.conversationId'])
      .select(rolloutRow.as('rollout'))
      .where('svc_action.status', 'in', [CONFIRMED, UNKNOWN, MISMATCH])
      .where('svc_action.actionType', '=', 'proposeFirmware')
      .where('r.status', 'in', ['STOPPED', 'DONE'])
      .where((row) => row.or([row('svc_action.status', '=', CONFIRMED), isCorrected]))
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
        .where('status', 'in', statusesBeforeRollout(end))
        .execute();
    }
  });
}
