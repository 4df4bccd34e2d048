import { sql } from 'kysely';

import { nodeKey, type Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { contentAt } from './content.ts';
import { correct, firstCheck, isOpen, ofDriver, orNull } from './open-check.ts';
import { AGAIN_MS } from './task.ts';
import { type Begun, deferred } from './unchanged.ts';

type Report = Payload<'svc.e.firmware_report'>;
type Request = Payload<'svc.e.firmware_request'>;

/** Stores what a driver knows of an update; once that has ended, only what proves its end. */
export const takeReport = (app: App, report: Report): Promise<void> =>
  inTenant(app.db, report.tenantId, async (q) => {
    const { updateId, tenantId, end, state, result, versionBefore, version } = report;
    const now = new Date(app.clock.now());
    const again = new Date(now.getTime() + AGAIN_MS);
    const { rows } = await sql`
      update svc_firmware_update u set status = ${end ?? report.phase},
        sent_bytes = ${report.sentBytes}, pushes = ${report.pushes},
        executions = ${report.executions}, answer = ${report.answer},
        session = ${storable(report.session)}, result_before = ${report.resultBefore}::smallint,
        message = ${storable(report.message)},
        object_state = coalesce(${state}::smallint, u.object_state),
        update_result = coalesce(${result}::smallint, u.update_result),
        version_before = coalesce(${orNull(versionBefore)}::text, u.version_before),
        version_now = coalesce(${orNull(version)}::text, u.version_now),
        heard_time = ${now}::timestamptz,
        next_time = ${end ? (isOpen(end) ? firstCheck(now) : null) : again}::timestamptz,
        end_time = ${end ? now : null}::timestamptz
      where u.tenant_id = ${tenantId} and u.update_id = ${updateId} and u.end_time is null
        and u.wave > 0 and ${ofDriver(report.driverCode)}
      returning u.update_id`.execute(q);
    if (rows.length === 0) await correct(q, report, now);
  });

/**
 * Answers a driver's request for bytes of a package that it is to send, with none for any other; or whether it may begin
 * with a device now.
 */
export async function answerRequest(app: App, request: Request): Promise<void> {
  const { driverCode, node, tenantId, updateId, asks, offset } = request;
  const portion = await inTenant(app.db, tenantId, async (q) => {
    if (asks === 'begin')
      return { updateId, offset, bytes: '', mayBegin: await allowed(app, q, request) };
    const found = await bytesFor(q, request);
    return { updateId, offset, bytes: found?.toString('base64') ?? '', mayBegin: null };
  });
  const key = nodeKey(driverCode, node);
  await app.bus.publish('svc.e.firmware_portion', portion, { key });
}

/** Whether the first order may go to a device: its update is open, no switch holds it, and it is the one that was chosen. */
async function allowed(
  app: App,
  q: Queries,
  { driverCode, updateId, tenantId }: Request,
): Promise<boolean> {
  const { rows } = await sql<Begun>`
    select u.tenant_id, u.device_id, u.target, r.proposer_id, r.client_id from svc_firmware_update u
    join svc_firmware_rollout r on r.tenant_id = u.tenant_id and r.id = u.rollout_id
    where u.tenant_id = ${tenantId} and u.update_id = ${updateId} and u.end_time is null
      and u.wave > 0 and ${ofDriver(driverCode)}
    for update of u`.execute(q);
  const [begun] = rows;
  if (!begun || (await deferred(app, q, begun)) !== null) return false;
  await sql`
    update svc_firmware_update set allowed_time = ${new Date(app.clock.now())}::timestamptz
    where tenant_id = ${tenantId} and update_id = ${updateId}`.execute(q);
  return true;
}

async function bytesFor(
  q: Queries,
  { driverCode, updateId, tenantId, offset }: Request,
): Promise<Buffer | null> {
  const { rows } = await sql<{ packageId: string }>`
    select r.package_id from svc_firmware_update u
    join svc_firmware_rollout r on r.tenant_id = u.tenant_id and r.id = u.rollout_id
    where u.tenant_id = ${tenantId} and u.update_id = ${updateId} and u.end_time is null
      and u.wave > 0 and ${ofDriver(driverCode)}`.execute(q);
  const packageId = rows[0]?.packageId;
  return packageId === undefined ? null : contentAt(q, { tenantId, packageId }, offset);
}
