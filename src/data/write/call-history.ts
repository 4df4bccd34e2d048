import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import {
  answer,
  AnswerId,
  AnswerUuid,
  JsonText,
  MaybeTime,
  named,
  Time,
} from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { flag, nameOf } from '../../kernel/input/flag.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { moment, quoted } from '../../kernel/sentence/voice.ts';
import { type CommandFacts, outcome } from '../command/facts.ts';
import { commandEnd, type Outcome, reasonOf, waiting } from '../command/outcome.ts';
import { waitsOf } from '../command/record.ts';
import { CommandSource, CommandStatus } from '../command/state.ts';

/** The record of a call of a custom command; the three maps are JSON text, as existing clients expect. */
export const CommandRecord = answer('CommandRecord', {
  id: AnswerId,
  recordId: AnswerUuid,
  tenantId: AnswerId,
  deviceId: AnswerId,
  commandId: AnswerId,
  commandCode: z.string().meta({ examples: ['reset-counter'] }),
  paramValues: JsonText,
  resultValues: JsonText,
  configSnapshot: JsonText,
  status: named(CommandStatus).describe('PENDING and SENT are not the end'),
  errorCode: z.string().meta({ examples: ['DEVICE_OFFLINE'] }),
  errorMessage: z.string(),
  source: named(CommandSource),
  sourceUserId: AnswerId,
  occurTime: Time,
  sendTime: MaybeTime,
  finishTime: MaybeTime,
  expireTime: Time,
  schemaVersion: z.number().int(),
  createTime: Time,
  operateTime: Time,
  deviceName: z
    .string()
    .meta({ description: 'The id of a deleted device', examples: ['Boiler 2'] }),
  ...outcome,
});
type CommandRecord = z.output<typeof CommandRecord.schema>;

/** Calls of a tenant with the device name, null for a deleted device. */
export const callsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_command_history as c')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'c.tenantId').onRef('d.id', '=', 'c.deviceId'),
    )
    .selectAll('c')
    .select('d.deviceName')
    .where('c.tenantId', '=', tenantId);

type Row = Awaited<ReturnType<ReturnType<typeof callsOf>['executeTakeFirstOrThrow']>>;

export function recordOf(row: Row): CommandRecord {
  const deviceName = row.deviceName ?? row.deviceId;
  const { status, done, say } = callOutcome({
    commandCode: row.commandCode,
    deviceName,
    status: nameOf(CommandStatus, row.status),
    errorCode: row.errorCode,
    sendTime: row.sendTime?.toISOString() ?? null,
    waits: waitsOf(row),
  });
  return CommandRecord.of({ ...row, deviceName, outcome: status, done, say });
}

export const ByRecordId = input({ recordId: Uuid });
type ByRecordId = z.infer<typeof ByRecordId>;

export const CommandRecordQuery = input({
  page: Page,
  deviceId: Id.optional(),
  commandId: Id.optional(),
  commandCode: Text(64).optional(),
  status: flag(CommandStatus).optional(),
});
type CommandRecordQuery = z.infer<typeof CommandRecordQuery>;

/** Throws NotFound, also for another tenant's record. */
export const byRecordId: Operation<ByRecordId, CommandRecord> = (app, { tenantId }, { recordId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const row = await callsOf(q, tenantId).where('c.recordId', '=', recordId).executeTakeFirst();
    if (!row) throw new NotFound('Command');
    return recordOf(row);
  });

/** Newest first. */
export const page: Operation<CommandRecordQuery, Paged<CommandRecord>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = callsOf(q, tenantId);
    if (given.deviceId) query = query.where('c.deviceId', '=', given.deviceId);
    if (given.commandId) query = query.where('c.commandId', '=', given.commandId);
    if (given.commandCode) query = query.where('c.commandCode', '=', given.commandCode);
    if (given.status !== undefined) query = query.where('c.status', '=', given.status);
    const newestFirst = query.orderBy('c.occurTime', 'desc').orderBy('c.id', 'desc');
    const total = listTotal(query, { q, tenantId, table: 'svc_command_history', given });
    return pageOf(newestFirst, given.page, recordOf, { total });
  });

type CallFacts = {
  commandCode: string;
  deviceName: string;
  status: CommandStatus;
  errorCode: string;
  sendTime: string | null;
  waits: CommandFacts['waits'];
};

/**
 * The outcome of a call of a custom command: the platform cannot read it back, so the device's answer
 * decides.
 */
export function callOutcome(facts: CallFacts): Outcome {
  const status = commandEnd(facts.status, 'NONE');
  return { status, done: status === 'EXECUTED', say: sentences[status](facts) };
}

const subject = ({ commandCode, deviceName }: CallFacts): string =>
  `${quoted(commandCode)} on ${quoted(deviceName)}`;

const sent = ({ sendTime }: CallFacts): string =>
  sendTime === null ? 'not sent yet' : `sent ${moment(sendTime)}`;

const underWay = (facts: CallFacts): string =>
  `${sent(facts)}${facts.sendTime === null ? '' : ', no answer yet'}`;

const sentences: Record<Outcome['status'], (facts: CallFacts) => string> = {
  UNDERWAY: (facts) =>
    `Call of ${subject(facts)}: ${facts.waits === null ? underWay(facts) : waiting(facts.waits)}.`,
  EXECUTED: (facts) => `${subject(facts)} was called: ${sent(facts)}, the device accepted it.`,
  MISMATCH: (facts) => `${subject(facts)} was called, and what came of it is not known.`,
  FAILED: (facts) => `${subject(facts)} was not done: ${reasonOf(facts)}.`,
  UNKNOWN: (facts) =>
    `Not known whether ${subject(facts)} was done: ${sent(facts)}, ${reasonOf(facts)}. Look before repeating it.`,
};
