import { sql } from 'kysely';

import type { App } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { cancelWaiting } from './start.ts';

/** Roll-outs that one round looks at. */
const MAX_AT_ONCE = 50;

type Running = {
  id: string;
  tenantId: string;
  waveSize: number;
  failurePercent: number;
  minutes: number;
  wave: number;
};

/**
 * Moves each running roll-out on: stops it where too many of the devices begun have failed, begins the next wave once
 * the last one has ended, ends it after the last device. Several processes may do so at once: a roll-out that another
 * one has is passed over.
 */
export async function moveRollouts(app: App): Promise<void> {
  const now = new Date(app.clock.now());
  await acrossTenants(app.db, 'sweeper', async (q) => {
    const running = await q
      .selectFrom('svc_firmware_rollout')
      .select(['id', 'tenantId', 'waveSize', 'failurePercent', 'minutes', 'wave'])
      .where('status', '=', 'RUNNING')
      .orderBy('operateTime')
      .orderBy('id')
      .limit(MAX_AT_ONCE)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const rollout of running) await move(q, rollout, now);
    await expire(q, now);
  });
}

async function move(q: Queries, rollout: Running, now: Date): Promise<void> {
  const { id, tenantId, failurePercent } = rollout;
  const { begun, failed, open, waiting } = await countsOf(q, rollout);
  if (failed > 0 && failed * 100 >= failurePercent * begun) {
    const why = `${failed} of the ${begun} devices begun failed, which is ${failurePercent} % or more`;
    await end(q, rollout, { status: 'STOPPED', why, endTime: now });
    await cancelWaiting(q, { tenantId, id, endTime: now });
  } else if (open === 0 && waiting === 0) {
    await end(q, rollout, { status: 'DONE', why: '', endTime: now });
  } else if (open === 0) {
    await beginWave(q, rollout, now);
  }
}

async function countsOf(
  q: Queries,
  { id, tenantId }: Running,
): Promise<{ begun: number; failed: number; open: number; waiting: number }> {
  const { rows } = await sql<{ begun: number; failed: number; open: number; waiting: number }>`
    select count(*) filter (where wave > 0)::integer as begun,
      count(*) filter (where status in ('FAILED', 'MISMATCH', 'UNKNOWN'))::integer as failed,
      count(*) filter (where wave > 0 and end_time is null)::integer as open,
      count(*) filter (where status = 'WAITING')::integer as waiting
    from svc_firmware_update where tenant_id = ${tenantId} and rollout_id = ${id}`.execute(q);
  return rows[0] ?? { begun: 0, failed: 0, open: 0, waiting: 0 };
}

async function end(
  q: Queries,
  { id, tenantId }: Running,
  ended: { status: 'STOPPED' | 'DONE'; why: string; endTime: Date },
): Promise<void> {
  await q
    .updateTable('svc_firmware_rollout')
    .set(ended)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}

async function beginWave(
  q: Queries,
  { id, tenantId, waveSize, minutes, wave }: Running,
  now: Date,
): Promise<void> {
  const due = new Date(now.getTime() + minutes * 60_000);
  await sql`
    update svc_firmware_update set status = 'BEGUN', wave = ${wave + 1},
      begin_time = ${now}::timestamptz, next_time = ${now}::timestamptz, due_time = ${due}::timestamptz
    where tenant_id = ${tenantId} and rollout_id = ${id} and device_id in (
      select device_id from svc_firmware_update
      where tenant_id = ${tenantId} and rollout_id = ${id} and status = 'WAITING'
      order by position limit ${waveSize})`.execute(q);
  await q
    .updateTable('svc_firmware_rollout')
    .set({ wave: wave + 1 })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}

/** Proposals that no person decided in time. */
async function expire(q: Queries, now: Date): Promise<void> {
  const expired = await q
    .updateTable('svc_firmware_rollout')
    .set({ status: 'REJECTED', why: 'No person decided in time', endTime: now })
    .where('status', '=', 'PROPOSED')
    .where('expireTime', '<=', now)
    .returning(['id', 'tenantId'])
    .execute();
  for (const { id, tenantId } of expired) await cancelWaiting(q, { id, tenantId, endTime: now });
}
