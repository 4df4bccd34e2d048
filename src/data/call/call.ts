import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { idFor } from '../command/id.ts';
import { taken } from '../command/issued.ts';
import { CommandSource, CommandStatus } from '../command/state.ts';
import { ValueInput } from '../value/value-input.ts';
import { sourceOf } from '../write/point-command.ts';
import { demandBus, publishCommand } from '../write/publish.ts';
import { wasCalled } from './called.ts';
import { type CallTarget, checkCall } from './check.ts';

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
  const target = await inTenant(app.db, tenantId, async (q) => {
    const checking = checkCall(q, tenantId, given);
    // A repeated call gets its answer even if its device has changed since.
    checking.catch(() => {});
    if (named !== undefined && (await wasCalled(q, tenantId, recordId, given))) return null;
    demandBus(app);
    return checking;
  });
  if (!target) return recordId;
  const made = { ...target, caller, recordId, now: app.clock.now() };
  const isNew = await inOneTrip(app.db, tenantId, (q) => insertSent(q, made));
  if (isNew) await publish(app, made);
  else await demandSame(app, made);
  return recordId;
};

type NewCall = CallTarget & { caller: Caller; recordId: string; now: number };

/** The timeout of the command; for a device that sleeps at least the time for which commands wait for it. */
const expiryOf = ({ now, command, serving }: NewCall): number =>
  now + Math.max(command.timeout * 1000, serving.waitMs);

/** Stores a call as SENT, to be published after the commit; false if the id exists. */
async function insertSent(q: Queries, made: NewCall): Promise<boolean> {
  const { caller, device, command, recordId, now } = made;
  const inserted = await q
    .insertInto('svc_command_history')
    .values({
      recordId,
      tenantId: caller.tenantId,
      deviceId: device.id,
      commandId: command.id,
      commandCode: command.commandCode,
      paramValues: JSON.stringify(made.params),
      configSnapshot: JSON.stringify(made.configSnapshot),
      status: CommandStatus.SENT,
      source: CommandSource[sourceOf(caller)],
      sourceUserId: caller.principalId,
      occurTime: new Date(now),
      sendTime: new Date(now),
      expireTime: new Date(expiryOf(made)),
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .onConflict((conflict) => conflict.column('recordId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Throws Conflict unless the tenant has made exactly this call: a concurrent request may have. */
async function demandSame(app: App, { caller, device, command, recordId, params }: NewCall) {
  const { tenantId } = caller;
  const asked = { deviceId: device.id, commandId: command.id, paramValues: params };
  const isSame = await inTenant(app.db, tenantId, (q) => wasCalled(q, tenantId, recordId, asked));
  if (!isSame) throw taken();
}

function publish(app: App, made: NewCall): Promise<void> {
  const { caller, recordId, device, command, params, driver, serving, now } = made;
  const { tenantId } = caller;
  const expireAt = expiryOf(made);
  return publishCommand(app, 'svc.e.command', {
    id: recordId,
    tenantId,
    driverCode: driver.driverCode,
    node: serving.node,
    expireAt,
    message: (remainingMs) => ({
      schemaVersion: 1,
      recordId,
      tenantId,
      deviceId: device.id,
      commandId: command.id,
      commandCode: command.commandCode,
      paramValues: params,
      occurredAt: now,
      expireAt,
      remainingMs,
    }),
  });
}
