import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { Id, Uuid } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { ValueType } from '../../manager/profile/value-type.ts';
import { idFor } from './id.ts';
import { type Asked, taken, wasIssued } from './issued.ts';
import { dispatch } from './send/dispatch.ts';
import { demandBus } from './send/publish.ts';
import { CommandSource, CommandType } from './state.ts';
import {
  type CheckedWrite,
  checkRead,
  checkWrite,
  type Target,
  ValueInput,
} from './write-check.ts';

/** docs/specification/limits.md, Command. */
const COMMAND_LIFE_MS = 10_000;

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

/**
 * Answers the command id at once: accepted, not executed (docs/specification/service.md, Rules of the service
 * 6).
 */
export const read: Operation<ReadCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'READ' }, async (q, commandId, now) => {
    const target = await checkRead(q, caller.tenantId, given);
    return insert(q, { ...target, caller, source: sourceOf(caller), commandId, now }, null);
  });

/**
 * Answers the command id at once. A `commandId` makes the request idempotent: repeated, it answers the same
 * id and issues nothing; with other content it throws Conflict.
 */
export const write: Operation<WriteCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'WRITE' }, async (q, commandId, now) => {
    const checked = await checkWrite(q, caller.tenantId, given);
    return insertWrite(q, { ...checked, caller, source: sourceOf(caller), commandId, now });
  });

/** Inserts a pending write in the caller's transaction; call `dispatch` after the commit. */
export const insertWrite = (
  q: Queries,
  { value, effect, ...command }: NewCommand & Pick<CheckedWrite, 'value' | 'effect'>,
): Promise<boolean> => insert(q, command, value, effect);

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
    // Looked up before the checks: a repeated command gets its answer even if its device has changed since.
    if (given !== undefined && (await wasIssued(q, tenantId, commandId, asked))) return false;
    demandBus(app);
    return accept(q, commandId, app.clock.now());
  });
  if (isNew) await dispatch(app, { tenantId, commandId });
  return commandId;
}

/** False if the tenant has issued exactly this command; throws Conflict for any other use of the id. */
async function insert(
  q: Queries,
  command: NewCommand,
  value: string | null,
  effect: string | null = null,
): Promise<boolean> {
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
      pointTypeFlag: ValueType[point.pointTypeFlag],
      valueDecimal: point.valueDecimal,
      pointUnit: point.unit,
      requestValue: value,
      effectDigest: effect,
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
  // A concurrent request inserted the id, or the id belongs to another tenant.
  const asked = { type, deviceId: device.id, pointId: point.id, value: value ?? '' } as const;
  if (!(await wasIssued(q, tenantId, commandId, asked))) throw taken();
  return false;
}
