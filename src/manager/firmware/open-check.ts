import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { storable } from '../../kernel/input/text.ts';

type Report = Payload<'svc.e.firmware_report'>;
type End = NonNullable<Report['end']>;

/** How long what a device says can correct an update that ended without certainty. */
const OPEN_MS = 30 * 86_400_000;
/** Between two looks at its device: a quarter of the time since the end, within these. */
const FIRST_LOOK_MS = 60_000;
export const MAX_CHECK_MS = 3_600_000;

/** Ends that what the device says later may correct. */
export const isOpen = (end: End): boolean => end === 'UNKNOWN' || end === 'MISMATCH';

export const firstCheck = (now: Date): Date => new Date(now.getTime() + FIRST_LOOK_MS);

/** SQL: a later update of the same device; what the device says from then on is about that one. */
const isFollowed = sql<boolean>`exists (select from svc_firmware_update n
  where n.tenant_id = u.tenant_id and n.device_id = u.device_id and n.begin_time > u.begin_time)`;

/** SQL: when to look next at the device of update `u`, which has ended; null: never again. */
export const nextCheck = (now: number) => sql<Date | null>`case
  when ${isFollowed} or u.end_time <= ${new Date(now - OPEN_MS)}::timestamptz then null
  else ${new Date(now)}::timestamptz + least(greatest((${new Date(now)}::timestamptz - u.end_time) / 4,
    ${`${FIRST_LOOK_MS} ms`}::interval), ${`${MAX_CHECK_MS} ms`}::interval) end`;

/** SQL: update `u` is of a device of this driver. */
export const ofDriver = (driverCode: string) => sql<boolean>`exists (
  select from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
  where d.tenant_id = u.tenant_id and d.id = u.device_id and v.driver_code = ${driverCode})`;

export const orNull = (text: string | null): string | null =>
  text === null ? null : storable(text);

/**
 * Corrects an update that ended without certainty by what its device proves now; keeps when it ended and as what, and
 * audits both. Without a proof only what was read is kept. Any other update stays as it ended.
 */
export async function correct(q: Queries, report: Report, now: Date): Promise<void> {
  const { tenantId, updateId, end, state, result, version, driverCode } = report;
  const isProof = end === 'VERIFIED' || end === 'FAILED';
  // A mismatch is what the device ran; only that it runs the version now is more.
  const from = end === 'FAILED' ? ['UNKNOWN'] : ['UNKNOWN', 'MISMATCH'];
  const { rows } = await sql<{ deviceId: string; endedAs: string; endTime: Date }>`
    update svc_firmware_update u set
      object_state = coalesce(${state}::smallint, u.object_state),
      update_result = coalesce(${result}::smallint, u.update_result),
      version_now = coalesce(${orNull(version)}::text, u.version_now),
      heard_time = ${now}::timestamptz,
      status = case when ${isProof} then ${end}::text else u.status end,
      ended_as = case when ${isProof} then u.status end,
      correction = ${isProof ? storable(report.message) : ''},
      corrected_time = ${isProof ? now : null}::timestamptz,
      next_time = case when ${isProof} then null else u.next_time end
    where u.tenant_id = ${tenantId} and u.update_id = ${updateId} and u.end_time is not null
      and u.end_time > ${new Date(now.getTime() - OPEN_MS)}::timestamptz
      and u.status = any(${from}) and not ${isFollowed} and ${ofDriver(driverCode)}
    returning u.device_id, u.ended_as, u.end_time`.execute(q);
  const row = rows[0];
  if (row && isProof) await audit(q, report, row, now);
}

/** As SYSTEM, without a principal. */
async function audit(
  q: Queries,
  { tenantId, updateId, end, version, result, message }: Report,
  { deviceId, endedAs, endTime }: { deviceId: string; endedAs: string; endTime: Date },
  now: Date,
): Promise<void> {
  const detail = { deviceId, was: endedAs, endTime: endTime.toISOString(), end, version, result };
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId,
      principalId: '0',
      principalType: 'SYSTEM',
      action: 'firmware:settle',
      resourceType: 'FIRMWARE_UPDATE',
      resourceId: updateId,
      resourceName: '',
      status: 'SUCCESS',
      detailExt: JSON.stringify({ ...detail, message: storable(message) }),
      createTime: now,
    })
    .execute();
}
