import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../../app.ts';
import { Id, Uuid } from '../../../core/input/id.ts';
import { input } from '../../../core/input/input.ts';
import { Text } from '../../../core/input/text.ts';
import type { Queries } from '../../../db/connect.ts';
import { acrossTenants, inTenant } from '../../../db/tenant.ts';
import { idFor } from '../id.ts';
import { taken } from '../issued.ts';
import { sourceOf } from '../point-command.ts';
import { demandBus, publishCommand, type Sent, servingNode } from '../send/publish.ts';
import { allowing, CommandSource, CommandStatus } from '../state.ts';
import { ValueInput } from '../write-check.ts';
import { wasCalled } from './called.ts';
import { type CallTarget, checkCall } from './check.ts';

type Kind = 'svc.e.command';

const MAX_PARAMS = 64;

/** `commandId_` makes a call idempotent: a repeated call answers the same record and calls nothing. */
export const CallCommand = input({
  deviceId: Id,
  commandId: Id.optional(),
  commandCode: Text(64).optional(),
  paramValues: z
    .record(Text(64), ValueInput)
    .refine((given) => Object.keys(given).length <= MAX_PARAMS, `at most ${MAX_PARAMS} parameters`)
    .default({}),
  commandId_: Uuid.optional(),
});
type CallCommand = z.infer<typeof CallCommand>;

/**
 * Calls a custom command; answers the record id at once: accepted, not executed. The call expires after the
 * command's own timeout (docs/specification/commands.md, Custom command).
 */
export const call: Operation<CallCommand, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const named = given['commandId_'];
  const recordId = named === undefined ? randomUUID() : idFor(`${tenantId}:call`, named);
  const isNew = await inTenant(app.db, tenantId, async (q) => {
    // Looked up before the checks: a repeated call gets its answer even if its device has changed since.
    if (named !== undefined && (await wasCalled(q, tenantId, recordId, given))) return false;
    demandBus(app);
    const target = await checkCall(q, tenantId, given);
    return insert(q, { ...target, caller, recordId, now: app.clock.now() });
  });
  if (isNew) await dispatchCall(app, recordId);
  return recordId;
};

type NewCall = CallTarget & { caller: Caller; recordId: string; now: number };

/** False if the tenant has made exactly this call; throws Conflict for any other use of the id. */
async function insert(q: Queries, made: NewCall): Promise<boolean> {
  const { caller, device, command, recordId, now } = made;
  const paramValues = JSON.stringify(made.params);
  const inserted = await q
    .insertInto('svc_command_history')
    .values({
      recordId,
      tenantId: caller.tenantId,
      deviceId: device.id,
      commandId: command.id,
      commandCode: command.commandCode,
      paramValues,
      configSnapshot: JSON.stringify(made.configSnapshot),
      source: CommandSource[sourceOf(caller)],
      sourceUserId: caller.principalId,
      occurTime: new Date(now),
      expireTime: new Date(now + command.timeout * 1000),
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .onConflict((conflict) => conflict.column('recordId').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return true;
  // A concurrent request inserted the id, or the id belongs to another tenant.
  const asked = { deviceId: device.id, commandId: command.id, paramValues: made.params };
  if (!(await wasCalled(q, caller.tenantId, recordId, asked))) throw taken();
  return false;
}

/** Publishes a pending call once, as `dispatch` does for point commands. */
async function dispatchCall(app: App, recordId: string): Promise<void> {
  const sent = await acrossTenants(app.db, 'sweeper', (q) =>
    markSent(q, recordId, app.clock.now()),
  );
  if (sent) await publishCommand<Kind>(app, 'svc.e.command', { id: recordId, ...sent });
}

async function markSent(q: Queries, recordId: string, now: number): Promise<Sent<Kind> | null> {
  const { rows } = await sql<{
    tenantId: string;
    deviceId: string;
    commandId: string;
    commandCode: string;
    paramValues: Record<string, string>;
    occurTime: Date;
    expireTime: Date;
    driverCode: string;
    node: string;
  }>`
    update svc_command_history c
    set status = ${CommandStatus.SENT}, send_time = ${new Date(now)}, operate_time = ${new Date(now)}
    from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      ${servingNode}
    where c.record_id = ${recordId} and c.status = any(${allowing('send')}::smallint[])
      and c.expire_time > ${new Date(now)} and d.tenant_id = c.tenant_id and d.id = c.device_id
    returning c.tenant_id, c.device_id, c.command_id, c.command_code, c.param_values, c.occur_time,
      c.expire_time, v.driver_code, coalesce(s.node, '') as node`.execute(q);
  const [row] = rows;
  if (!row) return null;
  const { driverCode, node, occurTime, expireTime, ...rest } = row;
  const expireAt = expireTime.getTime();
  return {
    driverCode,
    node,
    tenantId: rest.tenantId,
    expireAt,
    message: (remainingMs) => ({
      schemaVersion: 1,
      recordId,
      ...rest,
      occurredAt: occurTime.getTime(),
      expireAt,
      remainingMs,
    }),
  };
}
