import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { idFor } from '../command/id.ts';
import { type Asked, taken, wasIssued } from '../command/issued.ts';
import { issueAndWait } from '../command/receipt.ts';
import type { Receipt } from '../command/record.ts';
import { CommandSource, CommandStatus, CommandType } from '../command/state.ts';
import { ValueInput } from '../value/value-input.ts';
import { beforeValue } from './before-value.ts';
import { sentCommand } from './dispatch.ts';
import { demandBus, publishCommand } from './publish.ts';
import { checkRead, checkWrite, type Target } from './write-check.ts';

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

/**
 * Answers the command id at once: accepted, not executed (docs/specification/service.md, Rules of the service
 * 6).
 */
export const read: Operation<ReadCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'READ' });

/**
 * Answers the command id at once. A `commandId` makes the request idempotent: repeated, it answers the same
 * id and issues nothing; with other content it throws Conflict.
 */
export const write: Operation<WriteCommand, string> = (app, caller, given) =>
  issue(app, caller, { ...given, type: 'WRITE' });

/** As `read`, and waits for its end, at most `waitMs`. */
export function readAndWait(
  app: App,
  caller: Caller,
  given: Omit<ReadCommand, 'commandId'>,
  waitMs: number,
): Promise<Receipt> {
  const commandId = randomUUID();
  return issueAndWait(app, caller, { commandId, waitMs }, () =>
    issue(app, caller, { ...given, type: 'READ' }, commandId),
  );
}

/** Inserts a pending write in the caller's transaction; call `dispatch` after the commit. Throws Conflict. */
export async function insertWrite(q: Queries, command: NewCommand): Promise<void> {
  if (!(await insert(q, command))) throw taken();
}

export const sourceOf = ({ via }: Caller): 'HTTP' | 'AGENTIC' =>
  via === 'login' ? 'HTTP' : 'AGENTIC';

/** Checks a command in one trip and stores it as SENT in another, then publishes it. */
async function issue(
  app: App,
  caller: Caller,
  { commandId: given, ...asked }: Asked & { commandId?: string | undefined },
  newId: string = randomUUID(),
): Promise<string> {
  const { tenantId } = caller;
  const kind = asked.type.toLowerCase();
  const commandId = given === undefined ? newId : idFor(`${tenantId}:${kind}`, given);
  const isRepeated = (q: Queries) => wasIssued(q, tenantId, commandId, asked);
  const checked = await inOneTrip(app.db, tenantId, async (q) => {
    const checking = check(q, app, tenantId, asked);
    // A repeated command gets its answer even if its device has changed since.
    checking.catch(() => {});
    if (given !== undefined && (await isRepeated(q))) return null;
    demandBus(app);
    return checking;
  });
  if (!checked) return commandId;
  const { before, ...target } = checked;
  const now = app.clock.now();
  const command = { ...target, caller, source: sourceOf(caller), commandId, now };
  const isNew = await inOneTrip(app.db, tenantId, (q) => insert(q, command, { before }));
  if (isNew)
    await publishCommand(app, 'svc.e.point_command', sentCommand(stored(command), checked));
  // A concurrent request inserted the id, or the id belongs to another tenant.
  else if (!(await inOneTrip(app.db, tenantId, isRepeated))) throw taken();
  return commandId;
}

const stored = ({ caller, device, point, serving, commandId, now, value, effect }: NewCommand) => ({
  commandId,
  tenantId: caller.tenantId,
  deviceId: device.id,
  pointId: point.id,
  requestValue: value,
  effectDigest: effect,
  occurTime: new Date(now),
  expireTime: new Date(now + Math.max(COMMAND_LIFE_MS, serving.waitMs)),
});

async function check(q: Queries, app: App, tenantId: string, asked: Asked) {
  if (asked.type === 'READ') {
    const target = await checkRead(q, tenantId, asked);
    return { ...target, value: null, effect: null, before: null };
  }
  const [checked, before] = await Promise.all([
    checkWrite(q, app, tenantId, asked),
    beforeValue(q, { tenantId, ...asked }, app.clock.now()),
  ]);
  return { ...checked, before };
}

/**
 * False if the id exists. With `sent` the command is marked SENT, to be published after the commit: a crash in
 * between leaves it UNKNOWN, never forgotten.
 */
async function insert(
  q: Queries,
  command: NewCommand,
  sent?: { before: string | null },
): Promise<boolean> {
  const { caller, point, now, actionId = null } = command;
  const inserted = await q
    .insertInto('svc_point_command_history')
    .values({
      ...stored(command),
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
