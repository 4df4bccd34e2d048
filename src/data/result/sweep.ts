import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { type Doubt, verdictOf, OPEN_MS, type Reading, takenAt } from '../command/evidence.ts';
import { commandEnded } from '../command/receipt.ts';
import { CommandStatus, CommandType, UNCERTAIN, Verification } from '../command/state.ts';
import { presentEffect } from '../write/write-check.ts';
import { MAX_READINGS, OVERLAP_MS, readingsSince } from './readings.ts';

const BATCH = 200;

/** Statuses of a write that certainly did not change its point. */
const WITHOUT_EFFECT: readonly number[] = [CommandStatus.FAILED, CommandStatus.EXPIRED];

type Candidate = { tenantId: string; commandId: string };

/**
 * Compares new readings with every uncertain write. Results are stored with the write, in one transaction
 * each, so that any process can continue.
 */
export async function sweepEvidence(app: App): Promise<void> {
  const now = app.clock.now();
  const found = await acrossTenants(app.db, 'sweeper', (q) => candidates(q, now));
  for (const { tenantId, commandId } of found) {
    try {
      const changed = await inTenant(app.db, tenantId, (q) =>
        look(q, app, { tenantId, commandId }, now),
      );
      if (changed) commandEnded(app, commandId);
    } catch (error) {
      // A failure on one write must not stop the others.
      app.log.error({ error, tenantId, commandId }, 'comparing readings with a write failed');
    }
  }
}

/** Uncertain writes with a newer reading of their point, or with a later write that ends the comparison. */
async function candidates(q: Queries, now: number): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select c.tenant_id, c.command_id
    from svc_point_command_history c
    left join svc_point_latest l on l.tenant_id = c.tenant_id and l.device_id = c.device_id
      and l.point_id = c.point_id
    join svc_point p on p.tenant_id = c.tenant_id and p.id = c.point_id
    where (l.receive_time > coalesce(c.looked_time, c.send_time) or exists (
        select from svc_point_command_history n where n.tenant_id = c.tenant_id
          and n.device_id = c.device_id and n.point_id = c.point_id
          and n.type = ${sql.lit(CommandType.WRITE)} and n.send_time > c.send_time
          and n.status not in (${sql.join([CommandStatus.SENT, ...WITHOUT_EFFECT].map(sql.lit))})))
      and c.type = ${sql.lit(CommandType.WRITE)} and c.status in (${sql.join(UNCERTAIN.map(sql.lit))})
      and c.send_time > ${new Date(now - OPEN_MS)} and c.open_until is null
    order by coalesce(c.looked_time, c.send_time) limit ${BATCH}`.execute(q);
  return rows;
}

/** True if the write was proved, its seen value changed, or it was closed. */
async function look(
  q: Queries,
  app: App,
  { tenantId, commandId }: Candidate,
  now: number,
): Promise<boolean> {
  const open = await lockOpen(q, tenantId, commandId);
  if (!open) return false;
  const readings = await readingsSince(q, open, open.lookedTime ?? open.sendTime);
  // Query the next write after the readings: a write that is not found now cannot have caused one of them.
  const next = await nextWrite(q, open);
  // Its effect on the point is unknown until it has ended.
  if (next?.isUnderWay) return false;
  const doubt = doubtOf(open, next?.sendTime ?? null);
  const upTo = readings.length < MAX_READINGS ? now : (readings.at(-1)?.receiveTime ?? now);
  const newest = Math.max(...readings.map(({ receiveTime }) => receiveTime), 0);
  const lookedTime = new Date(Math.min(upTo, Math.max(newest, now - OVERLAP_MS)));
  await q
    .updateTable('svc_point_command_history')
    .set({ lookedTime, ...(next ? { openUntil: new Date(next.sendTime) } : {}) })
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .execute();
  return note(q, app, open, { doubt, readings, now });
}

type Open = NonNullable<Awaited<ReturnType<typeof lockOpen>>>;

export async function lockOpen(q: Queries, tenantId: string, commandId: string) {
  const row = await q
    .selectFrom('svc_point_command_history as c')
    .select(['c.commandId', 'c.tenantId', 'c.deviceId', 'c.pointId', 'c.actionId'])
    .select(['c.requestValue', 'c.beforeValue', 'c.seenValue', 'c.errorCode', 'c.status'])
    .select('c.effectDigest')
    .select(['c.sendTime', 'c.finishTime', 'c.lookedTime', 'c.pointTypeFlag', 'c.valueDecimal'])
    .where('c.tenantId', '=', tenantId)
    .where('c.commandId', '=', commandId)
    .where('c.status', 'in', UNCERTAIN)
    .where('c.openUntil', 'is', null)
    .forUpdate('c')
    .skipLocked()
    .executeTakeFirst();
  if (!row || row.sendTime === null || row.requestValue === null) return null;
  const { pointTypeFlag, valueDecimal } = row;
  if (pointTypeFlag === null || valueDecimal === null) return null;
  return {
    ...row,
    pointTypeFlag,
    valueDecimal,
    requestValue: row.requestValue,
    sendTime: row.sendTime.getTime(),
    finishTime: (row.finishTime ?? row.sendTime).getTime(),
    lookedTime: row.lookedTime?.getTime() ?? null,
  };
}

export const doubtOf = (open: Open, nextSendTime: number | null): Doubt => ({
  requestValue: open.requestValue,
  beforeValue: open.beforeValue,
  sendTime: open.sendTime,
  finishTime: open.finishTime,
  openUntil: Math.min(open.sendTime + OPEN_MS, nextSendTime ?? Number.POSITIVE_INFINITY),
  point: { type: nameOf(ValueType, open.pointTypeFlag), decimals: open.valueDecimal },
});

/** The next write to the point, except those that certainly had no effect. */
export async function nextWrite(q: Queries, open: Open) {
  const next = await q
    .selectFrom('svc_point_command_history')
    .select(['sendTime', 'status'])
    .where('tenantId', '=', open.tenantId)
    .where('deviceId', '=', open.deviceId)
    .where('pointId', '=', open.pointId)
    .where('type', '=', CommandType.WRITE)
    .where('sendTime', '>', new Date(open.sendTime))
    .where('status', 'not in', WITHOUT_EFFECT)
    .orderBy('sendTime')
    .limit(1)
    .executeTakeFirst();
  if (!next?.sendTime) return null;
  return { sendTime: next.sendTime.getTime(), isUnderWay: next.status === CommandStatus.SENT };
}

/**
 * Stores the evidence: a proof ends the write as SUCCESS, any other reading is stored as its seen value. True
 * if the write changed.
 */
export async function note(
  q: Queries,
  app: Pick<App, 'keys'>,
  open: Open,
  { doubt, readings, now }: { doubt: Doubt; readings: readonly Reading[]; now: number },
): Promise<boolean> {
  const proof = readings.find((reading) => verdictOf(doubt, reading) === 'PROOF');
  const named = proof ?? readings.findLast((reading) => verdictOf(doubt, reading) === 'OTHER');
  if (!named || (!proof && named.value === open.seenValue)) return false;
  const isFirst = open.seenValue === null;
  const at = new Date(now);
  if (await isReconfigured(q, app, open)) return close(q, open, at);
  await q
    .updateTable('svc_point_command_history')
    .set({
      seenValue: named.value,
      seenTime: new Date(takenAt(named)),
      operateTime: at,
      ...(proof
        ? {
            status: CommandStatus.SUCCESS,
            verification: Verification.VERIFIED,
            responseValue: open.requestValue,
            readBackValue: proof.value,
            settledTime: at,
          }
        : {}),
      ...((proof || isFirst) && open.actionId !== null ? { seenNews: true } : {}),
    })
    .where('tenantId', '=', open.tenantId)
    .where('commandId', '=', open.commandId)
    .where('status', 'in', UNCERTAIN)
    .execute();
  if (!proof && !isFirst) return true;
  await audit(q, open, named, { isProof: proof !== undefined, at });
  return true;
}

/**
 * Whether the configuration has changed since the write, so that readings may be of another place or scaling.
 */
async function isReconfigured(q: Queries, app: Pick<App, 'keys'>, open: Open): Promise<boolean> {
  const { tenantId, deviceId, pointId, requestValue: value } = open;
  return (
    (await presentEffect(q, app, tenantId, { deviceId, pointId, value })) !== open.effectDigest
  );
}

/** Closes the write for evidence. */
async function close(q: Queries, open: Open, at: Date): Promise<true> {
  await q
    .updateTable('svc_point_command_history')
    .set({
      openUntil: at,
      reconfiguredTime: at,
      operateTime: at,
      ...(open.seenValue === null && open.actionId !== null ? { seenNews: true } : {}),
    })
    .where('tenantId', '=', open.tenantId)
    .where('commandId', '=', open.commandId)
    .where('status', 'in', UNCERTAIN)
    .execute();
  await audit(q, open, null, { isProof: false, at });
  return true;
}

/** Audits as SYSTEM, without a principal; without a reading the write was closed. */
async function audit(
  q: Queries,
  open: Open,
  reading: Reading | null,
  { isProof, at }: { isProof: boolean; at: Date },
): Promise<void> {
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId: open.tenantId,
      principalId: '0',
      principalType: 'SYSTEM',
      action: isProof ? 'command:settle' : 'command:evidence',
      resourceType: 'POINT_COMMAND',
      resourceId: open.commandId,
      resourceName: '',
      status: 'SUCCESS',
      detailExt: JSON.stringify({
        was: nameOf(CommandStatus, open.status),
        errorCode: open.errorCode,
        requestValue: open.requestValue,
        beforeValue: open.beforeValue,
        ...(reading
          ? { value: reading.value, takenAt: new Date(takenAt(reading)).toISOString() }
          : { closed: 'the device or point was configured anew' }),
        actionId: open.actionId,
      }),
      createTime: at,
    })
    .execute();
}
