import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { idFor } from '../command/id.ts';
import { type Asked, taken, wasIssued } from '../command/issued.ts';
import { issueAndWait } from '../command/receipt.ts';
import type { Receipt } from '../command/record.ts';
import { ValueInput } from '../value/value-input.ts';
import { beforeValue } from './before-value.ts';
import { insert, rowOf, sentCommand } from './dispatch.ts';
import { demandBus, publishCommand } from './publish.ts';
import { checkRead, checkWrite } from './write-check.ts';

export const ReadCommand = input({ deviceId: Id, pointId: Id, commandId: Uuid.optional() });
type ReadCommand = { deviceId: string; pointId: string; commandId?: string | undefined };

export const WriteCommand = input({
  deviceId: Id,
  pointId: Id,
  value: ValueInput,
  commandId: Uuid.optional(),
});
type WriteCommand = z.infer<typeof WriteCommand>;

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
  if (isNew) await publishCommand(app, 'svc.e.point_command', sentCommand(rowOf(command), checked));
  // A concurrent request inserted the id, or the id belongs to another tenant.
  else if (!(await inOneTrip(app.db, tenantId, isRepeated))) throw taken();
  return commandId;
}

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
