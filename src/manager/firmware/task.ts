import { sql } from 'kysely';

import { Unroutable } from '../../bus/bus.ts';
import { nodeKey, type Payload } from '../../bus/topic/topics.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EntityType } from '../entity/entity-type.ts';
import { firstCheck, MAX_CHECK_MS, nextCheck } from './open-check.ts';
import { deferred } from './unchanged.ts';

/** Without a word of its driver an update is handed to it again. */
export const AGAIN_MS = 15_000;
/** Updates that one round hands out. */
const MAX_AT_ONCE = 200;
/** Over its time, in which the driver says itself how far it came. */
const GRACE_MS = 30_000;
/** From the answer that a driver may begin to its word that the first order goes out, at most. */
const ORDER_MS = 60_000;

type Due = Omit<Payload<'svc.e.firmware'>, 'phase' | 'hasEnded' | 'remainingMs' | 'size'> & {
  status: 'BEGUN' | 'SENDING' | 'DOWNLOADED' | 'UPDATING' | 'UNKNOWN' | 'MISMATCH';
  size: string;
  dueTime: Date;
  endTime: Date | null;
  objectState: number | null;
  versionNow: string | null;
  allowedTime: Date | null;
  deviceName: string | null;
  driverCode: string | null;
  node: string | null;
  proposerId: string;
  clientId: string;
  target: unknown;
};

/**
 * Hands each update that is due to the node that serves its device, which goes on with it; ends what is over its time. One
 * that ended without certainty is handed out to be looked at. Of several processes one gets a row.
 */
export async function handOut(app: App): Promise<void> {
  const now = app.clock.now();
  for (const due of await takeDue(app, now)) {
    const { tenantId, updateId, status, dueTime, driverCode, node } = due;
    const remainingMs = due.endTime ? MAX_CHECK_MS : dueTime.getTime() - now;
    if (status === 'BEGUN' && !(await mayBegin(app, due, now))) continue;
    if (due.endTime) {
      if (driverCode && node) await send(app, due, { driverCode, node, remainingMs });
    } else if (driverCode === null)
      await endUpdate(app, due, 'UNKNOWN', 'The device was deleted meanwhile');
    else if (remainingMs <= -GRACE_MS) await endUpdate(app, due, ...lateEnd(due));
    else if (node && remainingMs > 0) await send(app, due, { driverCode, node, remainingMs });
    else app.log.debug({ tenantId, updateId, status }, 'a firmware update waits for its device');
  }
}

const takeDue = (app: App, now: number): Promise<Due[]> =>
  acrossTenants(app.db, 'sweeper', async (q) => {
    const { rows } = await sql<Due>`
      with due as (
        select update_id from svc_firmware_update where next_time <= ${new Date(now)}::timestamptz
        order by next_time limit ${MAX_AT_ONCE} for update skip locked),
      taken as (
        update svc_firmware_update u set next_time = case
          when u.end_time is null then ${new Date(now + AGAIN_MS)}::timestamptz else ${nextCheck(now)} end
        from due where u.update_id = due.update_id returning u.*)
      select t.update_id, t.tenant_id, t.device_id, t.status, t.due_time, t.end_time, t.version_before, t.pushes,
        t.executions, t.answer, t.session, t.result_before, t.object_state, t.version_now, t.allowed_time, r.package_id, r.package_version, r.size, r.sha256,
        r.package_uri, d.device_name, v.driver_code, s.node,
        r.proposer_id, r.client_id, t.target
      from taken t
      join svc_firmware_rollout r on r.tenant_id = t.tenant_id and r.id = t.rollout_id
      left join svc_device d on d.tenant_id = t.tenant_id and d.id = t.device_id
      left join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      left join svc_entity_state s on s.tenant_id = t.tenant_id and s.entity_id = t.device_id
        and s.entity_type_flag = ${EntityType.DEVICE}
      where t.next_time is not null`.execute(q);
    return rows;
  });

/**
 * Whether a device to which nothing was sent yet may still begin. Ends the update of one that is another now; one that a
 * switch holds waits for its turn again.
 */
async function mayBegin(app: App, due: Due, now: number): Promise<boolean> {
  const { allowedTime } = due;
  // Its first order may be on the way.
  if (allowedTime && now - allowedTime.getTime() < ORDER_MS) return true;
  const kept = await inTenant(app.db, due.tenantId, (q) => deferred(app, q, due));
  if (kept === 'held') await waitAgain(app, due);
  else if (kept) await endUpdate(app, due, 'CANCELLED', kept.message, kept.code);
  return kept === null;
}

/** Its roll-out begins it again, with the time that a device has, once the switch lets it. */
const waitAgain = (app: App, { tenantId, updateId }: Due): Promise<unknown> =>
  inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_firmware_update')
      .set({ status: 'WAITING', wave: 0, beginTime: null, dueTime: null, nextTime: null })
      .where('tenantId', '=', tenantId)
      .where('updateId', '=', updateId)
      .where('status', '=', 'BEGUN')
      .where('endTime', 'is', null)
      .execute(),
  );

async function send(
  app: App,
  due: Due,
  { driverCode, node, remainingMs }: { driverCode: string; node: string; remainingMs: number },
): Promise<void> {
  const { updateId, tenantId, deviceId, packageId, packageVersion, sha256, packageUri } = due;
  const { versionBefore, pushes, executions, answer, session, resultBefore, status } = due;
  const hasEnded = status === 'UNKNOWN' || status === 'MISMATCH';
  const phase = hasEnded ? 'UPDATING' : status;
  const known = {
    phase,
    versionBefore,
    pushes,
    executions,
    answer,
    session,
    resultBefore,
  } as const;
  const what = { packageId, packageVersion, size: Number(due.size), sha256, packageUri };
  const task = { updateId, tenantId, deviceId, ...what, ...known, hasEnded, remainingMs };
  try {
    const key = nodeKey(driverCode, node);
    const how = { key, ttlMs: AGAIN_MS, mandatory: true, urgent: true };
    await app.bus.publish('svc.e.firmware', task, how);
  } catch (error) {
    // The next round tries again.
    if (!(error instanceof Unroutable))
      app.log.warn({ error, updateId }, 'a firmware update was not handed to its driver');
  }
}

/** What is known of an update without a last report of its driver in time. */
function lateEnd({ status, objectState, versionNow }: Due): ['FAILED' | 'UNKNOWN', string] {
  if (status === 'BEGUN')
    return ['FAILED', 'The device was not reached in time: nothing was sent to it'];
  const state = objectState === null ? '' : `; its object 5 was in state ${objectState} last`;
  const version = versionNow === null ? '' : ` and it said that it runs ${versionNow}`;
  return ['UNKNOWN', `The device did not come to an end in time${state}${version}`];
}

async function endUpdate(
  app: App,
  { tenantId, updateId }: Pick<Due, 'tenantId' | 'updateId'>,
  status: 'FAILED' | 'UNKNOWN' | 'CANCELLED',
  message: string,
  code = '',
): Promise<void> {
  const now = new Date(app.clock.now());
  await inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_firmware_update')
      .set({
        status,
        message,
        code,
        endTime: now,
        nextTime: status === 'UNKNOWN' ? firstCheck(now) : null,
      })
      .where('tenantId', '=', tenantId)
      .where('updateId', '=', updateId)
      .where('endTime', 'is', null)
      .execute(),
  );
}
