import { sql } from 'kysely';

import type { App } from '../../../app.ts';
import { AppError } from '../../../core/errors.ts';
import type { Queries } from '../../../db/connect.ts';
import { inTenant } from '../../../db/tenant.ts';
import { commandEnded } from '../ended.ts';
import { allowing, CommandStatus } from '../state.ts';
import { checkWrite } from '../write-check.ts';
import { beforeValue } from './before-value.ts';
import { publishCommand, type Sent, servingNode } from './publish.ts';

type Kind = 'svc.e.point_command';
type Which = { tenantId: string; commandId: string };

/**
 * A further condition for a write. Called in the transaction that marks it SENT, with the reason found so
 * far; answers the reason not to send it, or null.
 */
export type Guard = (q: Queries, reason: string | null) => Promise<string | null>;

/** Error code of an unsent write: its effect is no longer the checked one. */
const EFFECT_CHANGED = 'EFFECT_CHANGED';
const asFound: Guard = async (_q, reason) => reason;

/**
 * Publishes a pending command once, with its remaining time; a second call does nothing. A write is sent only
 * if its effect is still the checked one; else it ends FAILED and the reason is answered.
 */
export async function dispatch(
  app: App,
  which: Which,
  guard: Guard = asFound,
): Promise<string | null> {
  const marked = await inTenant(app.db, which.tenantId, (q) =>
    mark(q, which, guard, app.clock.now()),
  );
  if (marked === null) return null;
  if (typeof marked === 'string') {
    commandEnded(app, which.commandId);
    return marked;
  }
  await publishCommand<Kind>(app, 'svc.e.point_command', { id: which.commandId, ...marked });
  return null;
}

async function mark(
  q: Queries,
  which: Which,
  guard: Guard,
  now: number,
): Promise<Sent<Kind> | string | null> {
  const { tenantId, commandId } = which;
  const pending = await q
    .selectFrom('svc_point_command_history')
    .select(['deviceId', 'pointId', 'requestValue', 'effectDigest'])
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('status', 'in', allowing('send'))
    .where('expireTime', '>', new Date(now))
    .forUpdate()
    .executeTakeFirst();
  if (!pending) return null;
  const { requestValue: value, ...checked } = pending;
  const reason = value === null ? null : await changed(q, tenantId, { ...checked, value });
  const refused = await guard(q, reason);
  if (refused === null) {
    const before = value === null ? null : await beforeValue(q, { tenantId, ...checked }, now);
    return markSent(q, which, before, now);
  }
  await q
    .updateTable('svc_point_command_history')
    .set({
      status: CommandStatus.FAILED,
      errorCode: EFFECT_CHANGED,
      errorMessage: refused.slice(0, 1024),
      finishTime: new Date(now),
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('status', 'in', allowing('send'))
    .execute();
  return refused;
}

/** The reason not to send a write: it is refused now, or its effect is not the checked one; else null. */
async function changed(
  q: Queries,
  tenantId: string,
  write: { deviceId: string; pointId: string; value: string; effectDigest: string | null },
): Promise<string | null> {
  try {
    const { effect } = await checkWrite(q, tenantId, write);
    if (effect === write.effectDigest) return null;
    return 'the configuration of the device or point changed before the command was sent';
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

async function markSent(
  q: Queries,
  { tenantId, commandId }: Which,
  before: string | null,
  now: number,
): Promise<Sent<Kind> | null> {
  const { rows } = await sql<{
    deviceId: string;
    pointId: string;
    requestValue: string | null;
    effectDigest: string | null;
    occurTime: Date;
    expireTime: Date;
    driverCode: string;
    node: string;
  }>`
    update svc_point_command_history c
    set status = ${CommandStatus.SENT}, send_time = ${new Date(now)}, operate_time = ${new Date(now)},
      before_value = ${before}
    from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      ${servingNode}
    where c.command_id = ${commandId} and c.tenant_id = ${tenantId}
      and c.status = any(${allowing('send')}::smallint[]) and c.expire_time > ${new Date(now)}
      and d.tenant_id = c.tenant_id and d.id = c.device_id
    returning c.device_id, c.point_id, c.request_value, c.effect_digest, c.occur_time, c.expire_time,
      v.driver_code, coalesce(s.node, '') as node`.execute(q);
  const [row] = rows;
  if (!row) return null;
  const expireAt = row.expireTime.getTime();
  return {
    driverCode: row.driverCode,
    node: row.node,
    tenantId,
    expireAt,
    message: (remainingMs) => ({
      schemaVersion: 1,
      commandId,
      tenantId,
      deviceId: row.deviceId,
      pointId: row.pointId,
      type: row.requestValue === null ? 'READ' : 'WRITE',
      value: row.requestValue,
      effect: row.effectDigest,
      occurredAt: row.occurTime.getTime(),
      expireAt,
      remainingMs,
    }),
  };
}
