import { sql } from 'kysely';

import { stopOf } from '../../auth/connection/stop.ts';
import { stopWords } from '../../auth/permission/mode.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { cancelWaiting } from './start.ts';
import { changedDevices } from './unchanged.ts';

/** Roll-outs that one round looks at. */
const MAX_AT_ONCE = 50;

type Running = {
  id: string;
  tenantId: string;
  waveSize: number;
  failurePercent: number;
  minutes: number;
  wave: number;
  proposerId: string;
  clientId: string;
  held: string;
};

/**
 * Moves each running roll-out on: stops it where too many of the devices begun have failed, begins the next wave once
 * the last one has ended and no switch holds it, ends it after the last device. Several processes may do so at once: a roll-out that another
 * one has is passed over.
 */
export async function moveRollouts(app: App): Promise<void> {
  const now = new Date(app.clock.now());
  await acrossTenants(app.db, 'sweeper', async (q) => {
    const running = await q
      .selectFrom('svc_firmware_rollout')
      .select(['id', 'tenantId', 'waveSize', 'failurePercent', 'minutes', 'wave'])
      .select(['proposerId', 'clientId', 'held'])
      .where('status', '=', 'RUNNING')
      // Whatever waits for long, as one that a switch holds, keeps no other from its turn.
      .orderBy(sql`random()`)
      .limit(MAX_AT_ONCE)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const rollout of running) await move(app, q, rollout, now);
  });
}

async function move(app: App, q: Queries, rollout: Running, now: Date): Promise<void> {
  const { id, tenantId, failurePercent } = rollout;
  const { begun, failed, open, waiting } = await countsOf(q, rollout);
  if (failed > 0 && failed * 100 >= failurePercent * begun) {
    const why = `${failed} of the ${begun} devices begun did not come to the version in time, which is ${failurePercent} % or more`;
    await end(q, rollout, { status: 'STOPPED', why, endTime: now });
    await cancelWaiting(q, { tenantId, id, endTime: now });
  } else if (open === 0 && waiting === 0) {
    await end(q, rollout, { status: 'DONE', why: '', endTime: now });
  } else if (open === 0) {
    const held = await heldBy(app, q, rollout);
    if (held !== rollout.held) await noteHeld(q, rollout, held);
    if (held === '') await beginWave(app, q, rollout, now);
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

/** What a switch says against beginning more devices; empty: nothing. What a person began directly is held by none. */
async function heldBy(
  app: App,
  q: Queries,
  { tenantId, proposerId, clientId }: Running,
): Promise<string> {
  if (proposerId === '0') return '';
  const stop = await stopOf(app, q, { tenantId, principalId: proposerId, clientId });
  return stop === null ? '' : stopWords(stop);
}

async function noteHeld(q: Queries, { id, tenantId }: Running, held: string): Promise<void> {
  await q
    .updateTable('svc_firmware_rollout')
    .set({ held })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}

/** Begins the next devices, of which each is compared with what was chosen once more. */
async function beginWave(
  app: App,
  q: Queries,
  { id, tenantId, waveSize, minutes, wave }: Running,
  now: Date,
): Promise<void> {
  const next = await q
    .selectFrom('svc_firmware_update')
    .select(['deviceId', 'target'])
    .where('tenantId', '=', tenantId)
    .where('rolloutId', '=', id)
    .where('status', '=', 'WAITING')
    .orderBy('position')
    .limit(waveSize)
    .execute();
  const changed = await changedDevices(app, q, tenantId, next);
  for (const [deviceId, notBegun] of changed)
    await q
      .updateTable('svc_firmware_update')
      .set({ status: 'CANCELLED', endTime: now, ...notBegun })
      .where('tenantId', '=', tenantId)
      .where('rolloutId', '=', id)
      .where('deviceId', '=', deviceId)
      .execute();
  const begun = next.map(({ deviceId }) => deviceId).filter((one) => !changed.has(one));
  if (begun.length === 0) return;
  const due = new Date(now.getTime() + minutes * 60_000);
  await sql`
    update svc_firmware_update set status = 'BEGUN', wave = ${wave + 1},
      begin_time = ${now}::timestamptz, next_time = ${now}::timestamptz, due_time = ${due}::timestamptz
    where tenant_id = ${tenantId} and rollout_id = ${id} and status = 'WAITING'
      and device_id = any(${begun}::bigint[])`.execute(q);
  await q
    .updateTable('svc_firmware_rollout')
    .set({ wave: wave + 1 })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}
