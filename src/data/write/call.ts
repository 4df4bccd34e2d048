import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { isSpelling } from '../../manager/entity/value-type.ts';
import { paramsOf } from '../../manager/profile/command-param.ts';
import { idFor } from '../command/id.ts';
import { taken } from '../command/issued.ts';
import { CommandSource, CommandStatus } from '../command/state.ts';
import { ValueInput } from '../value/value-input.ts';
import { type AskedCall, type CallTarget, checkCall } from './call-check.ts';
import { sourceOf } from './point-command.ts';
import { demandBus, publishCommand } from './publish.ts';

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

type Values = Readonly<Record<string, string>>;

/** Whether the tenant has made exactly this call; throws Conflict for any other use of the id. */
async function wasCalled(
  q: Queries,
  tenantId: string,
  recordId: string,
  asked: AskedCall,
): Promise<boolean> {
  const earlier = await q
    .selectFrom('svc_command_history')
    .select(['deviceId', 'commandId', 'commandCode', 'paramValues'])
    .where('tenantId', '=', tenantId)
    .where('recordId', '=', recordId)
    .executeTakeFirst();
  if (!earlier) return false;
  const { deviceId, commandId, commandCode } = earlier;
  const isNamed =
    asked.commandId === undefined
      ? asked.commandCode === commandCode
      : asked.commandId === commandId;
  const isSame =
    asked.deviceId === deviceId &&
    isNamed &&
    (await areSame(q, tenantId, commandId, { asked: asked.paramValues, was: earlier.paramValues }));
  if (!isSame) throw taken();
  return true;
}

/** An omitted parameter counts as its default. */
async function areSame(
  q: Queries,
  tenantId: string,
  commandId: string,
  { asked, was }: { asked: Values; was: Record<string, unknown> },
): Promise<boolean> {
  const defined = new Map(
    (await paramsOf(q, tenantId, commandId)).map((param) => [param.paramCode, param]),
  );
  const isKept = (code: string): boolean => {
    const kept = was[code];
    if (typeof kept !== 'string') return false;
    const param = defined.get(code);
    const given = Object.hasOwn(asked, code) ? asked[code] : param?.defaultValue;
    return given !== undefined && isSpelling(param?.paramTypeFlag ?? null, given, kept);
  };
  return [...Object.keys(asked), ...Object.keys(was)].every(isKept);
}
