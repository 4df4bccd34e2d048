import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import type { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { Quality } from '../../bus/topics.ts';
import { Id, Uuid } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import { idFor } from './command-id.ts';
import { demandBus, publishCommand, type Sent, servingNode } from './command-publish.ts';
import { allowing, CommandSource, CommandStatus, CommandType } from './command-state.ts';
import { type Asked, taken, wasIssued } from './issued.ts';
import { checkRead, checkWrite, type Target, ValueInput } from './write-check.ts';

/** SPEC.md, Limits: Command validity. */
const COMMAND_LIFE_MS = 10_000;

type Kind = 'svc.e.point_command';

export const ReadCommand = input({ deviceId: Id, pointId: Id, commandId: Uuid.optional() });
type ReadCommand = { deviceId: string; pointId: string; commandId?: string | undefined };

export const WriteCommand = input({
  deviceId: Id,
  pointId: Id,
  value: ValueInput,
  commandId: Uuid.optional(),
});
type WriteCommand = z.infer<typeof WriteCommand>;

type NewCommand = Target & {
  caller: Pick<Caller, 'tenantId' | 'principalId'>;
  source: keyof typeof CommandSource;
  actionId?: string;
  commandId: string;
  now: number;
};

/** Answers the command id at once: accepted, not executed (SPEC.md, What the service does, rule 6). */
export const read: Operation<ReadCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'READ' }, async (q, commandId, now) => {
    const target = await checkRead(q, caller.tenantId, given);
    return insert(q, { ...target, caller, source: sourceOf(caller), commandId, now }, null);
  });

/**
 * Answers the command id at once. A `commandId` in the request makes it repeatable: the same again
 * answers the same id and issues nothing new, with other content it throws Conflict.
 */
export const write: Operation<WriteCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'WRITE' }, async (q, commandId, now) => {
    const { value, ...target } = await checkWrite(q, caller.tenantId, given);
    return insert(q, { ...target, caller, source: sourceOf(caller), commandId, now }, value);
  });

/** A pending write within the caller's transaction; call `dispatch` after its commit. */
export async function insertWrite(
  q: Queries,
  { value, ...command }: NewCommand & { value: string },
): Promise<void> {
  await insert(q, command, value);
}

export const sourceOf = ({ via }: Caller): 'HTTP' | 'AGENTIC' =>
  via === 'login' ? 'HTTP' : 'AGENTIC';

async function issue(
  app: App,
  { tenantId }: Caller,
  { commandId: given, ...asked }: Asked & { commandId?: string | undefined },
  accept: (q: Queries, commandId: string, now: number) => Promise<boolean>,
): Promise<string> {
  const kind = asked.type.toLowerCase();
  const commandId = given === undefined ? randomUUID() : idFor(`${tenantId}:${kind}`, given);
  const isNew = await inTenant(app.db, tenantId, async (q) => {
    // A repeated command answers as before whatever became of its device, so it is looked up first.
    if (given !== undefined && (await wasIssued(q, tenantId, commandId, asked))) return false;
    demandBus(app);
    return accept(q, commandId, app.clock.now());
  });
  if (isNew) await dispatch(app, commandId);
  return commandId;
}

/** False when the tenant issued just this command before; throws Conflict for any other use of the id. */
async function insert(q: Queries, command: NewCommand, value: string | null): Promise<boolean> {
  const { caller, device, point, commandId, now, actionId = null } = command;
  const { tenantId } = caller;
  const type = value === null ? 'READ' : 'WRITE';
  const inserted = await q
    .insertInto('svc_point_command_history')
    .values({
      commandId,
      tenantId,
      type: CommandType[type],
      deviceId: device.id,
      pointId: point.id,
      requestValue: value,
      responseValue: null,
      readBackValue: null,
      source: CommandSource[command.source],
      sourceUserId: caller.principalId,
      actionId,
      occurTime: new Date(now),
      expireTime: new Date(now + COMMAND_LIFE_MS),
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .onConflict((conflict) => conflict.column('commandId').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return true;
  // It came at the same moment, or the id is another tenant's.
  const asked = { type, deviceId: device.id, pointId: point.id, value: value ?? '' } as const;
  if (!(await wasIssued(q, tenantId, commandId, asked))) throw taken();
  return false;
}

/**
 * Publishes a pending command once, with the time it has left; whoever comes second does nothing.
 * `sweeper` context: it has only the id.
 */
export async function dispatch(app: App, commandId: string): Promise<void> {
  const sent = await acrossTenants(app.db, 'sweeper', (q) =>
    markSent(q, commandId, app.clock.now()),
  );
  if (sent) await publishCommand<Kind>(app, 'svc.e.point_command', { id: commandId, ...sent });
}

async function markSent(q: Queries, commandId: string, now: number): Promise<Sent<Kind> | null> {
  const { rows } = await sql<{
    tenantId: string;
    deviceId: string;
    pointId: string;
    requestValue: string | null;
    occurTime: Date;
    expireTime: Date;
    driverCode: string;
    node: string;
  }>`
    update svc_point_command_history c
    set status = ${CommandStatus.SENT}, send_time = ${new Date(now)}, operate_time = ${new Date(now)},
      before_value = case when c.type = ${CommandType.WRITE} then (select l.cal_value
        from svc_point_latest l where l.tenant_id = c.tenant_id and l.device_id = c.device_id
          and l.point_id = c.point_id and l.quality = ${Quality.GOOD}) end
    from svc_device d join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      ${servingNode}
    where c.command_id = ${commandId} and c.status = any(${allowing('send')}::smallint[])
      and c.expire_time > ${new Date(now)} and d.tenant_id = c.tenant_id and d.id = c.device_id
    returning c.tenant_id, c.device_id, c.point_id, c.request_value, c.occur_time, c.expire_time,
      v.driver_code, coalesce(s.node, '') as node`.execute(q);
  const [row] = rows;
  if (!row) return null;
  const { driverCode, node, tenantId } = row;
  const expireAt = row.expireTime.getTime();
  return {
    driverCode,
    node,
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
      occurredAt: row.occurTime.getTime(),
      expireAt,
      remainingMs,
    }),
  };
}
