import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { PointCommandHistoryTable } from '../../db/schema/data.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { taken } from '../command/issued.ts';
import { commandEnded, countEnd } from '../command/receipt.ts';
import { allowing, CommandSource, CommandStatus, CommandType } from '../command/state.ts';
import { beforeValue } from './before-value.ts';
import { publishCommand, type Sent } from './publish.ts';
import { checkWrite, type Target } from './write-check.ts';

/** docs/specification/limits.md, Command. */
const COMMAND_LIFE_MS = 10_000;

type NewCommand = Pick<Target, 'device' | 'point' | 'serving'> & {
  caller: Pick<Caller, 'tenantId' | 'principalId'>;
  source: keyof typeof CommandSource;
  actionId?: string;
  commandId: string;
  now: number;
  /** Null for a read. */
  value: string | null;
  effect: string | null;
};

type Which = { tenantId: string; commandId: string };

/** Inserts a pending write in the caller's transaction; call `dispatch` after the commit. Throws Conflict. */
export async function insertWrite(q: Queries, command: NewCommand): Promise<void> {
  if (!(await insert(q, command))) throw taken();
}

export const rowOf = ({
  caller,
  device,
  point,
  serving,
  commandId,
  now,
  value,
  effect,
}: NewCommand) => ({
  commandId,
  tenantId: caller.tenantId,
  deviceId: device.id,
  pointId: point.id,
  requestValue: value,
  effectDigest: effect,
  occurTime: new Date(now),
  expireTime: new Date(now + Math.max(COMMAND_LIFE_MS, serving.waitMs)),
});

/**
 * False if the id exists. With `sent` the command is marked SENT, to be published after the commit: a crash in
 * between leaves it UNKNOWN, never forgotten.
 */
export async function insert(
  q: Queries,
  command: NewCommand,
  sent?: { before: string | null },
): Promise<boolean> {
  const { caller, point, now, actionId = null } = command;
  const inserted = await q
    .insertInto('svc_point_command_history')
    .values({
      ...rowOf(command),
      type: CommandType[command.value === null ? 'READ' : 'WRITE'],
      pointTypeFlag: ValueType[point.pointTypeFlag],
      valueDecimal: point.valueDecimal,
      pointUnit: point.unit,
      responseValue: null,
      readBackValue: null,
      source: CommandSource[command.source],
      sourceUserId: caller.principalId,
      actionId,
      createTime: new Date(now),
      operateTime: new Date(now),
      ...(sent && {
        status: CommandStatus.SENT,
        sendTime: new Date(now),
        beforeValue: sent.before,
      }),
    })
    .onConflict((conflict) => conflict.column('commandId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/**
 * A further condition for a write. Called in the transaction that marks it SENT, with the reason found so
 * far; answers the reason not to send it, or null.
 */
export type Guard = (q: Queries, reason: string | null) => Promise<string | null>;

/** Error code of an unsent write: its effect is no longer the checked one. */
const EFFECT_CHANGED = 'EFFECT_CHANGED';
/** Error code of an unsent write whose effect is the checked one, but that its guard keeps back. */
const HELD_BACK = 'HELD_BACK';
const asFound: Guard = async (_q, reason) => reason;

/**
 * Publishes a pending write once, with its remaining time; a second call does nothing. It is sent only if its
 * effect is still the checked one; else it ends FAILED and the reason is answered.
 */
export async function dispatch(
  app: App,
  which: Which,
  guard: Guard = asFound,
): Promise<string | null> {
  const marked = await inTenant(app.db, which.tenantId, (q) => mark(q, app, which, guard));
  if (marked === null) return null;
  if (typeof marked === 'string') {
    countEnd(app, 'point', 'FAILED');
    commandEnded(app, which.commandId);
    return marked;
  }
  await publishCommand(app, 'svc.e.point_command', sentCommand(marked.stored, marked.target));
  return null;
}

type Stored = Pick<
  Selectable<PointCommandHistoryTable>,
  | 'commandId'
  | 'tenantId'
  | 'deviceId'
  | 'pointId'
  | 'requestValue'
  | 'effectDigest'
  | 'occurTime'
  | 'expireTime'
>;

async function mark(
  q: Queries,
  app: App,
  which: Which,
  guard: Guard,
): Promise<{ stored: Stored; target: Target } | string | null> {
  const { tenantId, commandId } = which;
  const now = app.clock.now();
  const stored = await q
    .selectFrom('svc_point_command_history')
    .select(['commandId', 'tenantId', 'deviceId', 'pointId', 'requestValue', 'effectDigest'])
    .select(['occurTime', 'expireTime'])
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('status', 'in', allowing('send'))
    .where('expireTime', '>', new Date(now))
    .forUpdate()
    .executeTakeFirst();
  if (!stored) return null;
  const [target, before] = await Promise.all([
    recheck(q, app, stored),
    beforeValue(q, stored, now),
  ]);
  const refused = await guard(q, typeof target === 'string' ? target : null);
  const isSent = refused === null && typeof target !== 'string';
  const change = isSent
    ? { status: CommandStatus.SENT, sendTime: new Date(now), beforeValue: before }
    : {
        status: CommandStatus.FAILED,
        errorCode: typeof target === 'string' ? EFFECT_CHANGED : HELD_BACK,
        errorMessage: refused?.slice(0, 1024) ?? '',
        finishTime: new Date(now),
      };
  await q
    .updateTable('svc_point_command_history')
    .set({ ...change, operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('status', 'in', allowing('send'))
    .execute();
  return isSent ? { stored, target } : refused;
}

/** The target of a write, or the reason not to send it: it is refused now, or its effect is not the checked one. */
async function recheck(q: Queries, app: App, stored: Stored): Promise<Target | string> {
  const { tenantId, deviceId, pointId, requestValue } = stored;
  try {
    const checked = await checkWrite(q, app, tenantId, {
      deviceId,
      pointId,
      value: requestValue ?? '',
    });
    if (checked.effect === stored.effectDigest) return checked;
    return 'the configuration of the device or point changed before the command was sent';
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** A command that is marked SENT, for `publishCommand`. */
export function sentCommand(
  { commandId, requestValue: value, occurTime, expireTime, ...stored }: Stored,
  { driver, serving }: Pick<Target, 'driver' | 'serving'>,
): Sent<'svc.e.point_command'> & { id: string } {
  const { tenantId, deviceId, pointId, effectDigest: effect } = stored;
  const expireAt = expireTime.getTime();
  return {
    id: commandId,
    tenantId,
    driverCode: driver.driverCode,
    node: serving.node,
    expireAt,
    message: (remainingMs) => ({
      schemaVersion: 1,
      commandId,
      tenantId,
      deviceId,
      pointId,
      type: value === null ? 'READ' : 'WRITE',
      value,
      effect,
      occurredAt: occurTime.getTime(),
      expireAt,
      remainingMs,
    }),
  };
}
