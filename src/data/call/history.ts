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
import { outcome } from '../command/facts.ts';
import { waitsOf } from '../command/record.ts';
import { CommandSource, CommandStatus } from '../command/state.ts';
import { callOutcome } from './outcome.ts';

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
