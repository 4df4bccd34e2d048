import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../../app.ts';
import { NotFound } from '../../../core/errors.ts';
import { flag, nameOf } from '../../../core/input/flag.ts';
import { Id, Uuid } from '../../../core/input/id.ts';
import { input } from '../../../core/input/input.ts';
import { Page, type Paged } from '../../../core/input/page.ts';
import { Text } from '../../../core/input/text.ts';
import type { Queries } from '../../../db/connect.ts';
import { pageOf } from '../../../db/query-page.ts';
import type { CommandHistoryTable } from '../../../db/schema/data.ts';
import { inTenant } from '../../../db/tenant.ts';
import type { Outcome } from '../outcome.ts';
import { CommandSource, CommandStatus } from '../state.ts';
import { callOutcome } from './outcome.ts';

/** The record of a call of a custom command; the three maps are JSON text, as existing clients expect. */
export type CommandRecord = {
  id: string;
  recordId: string;
  tenantId: string;
  deviceId: string;
  commandId: string;
  commandCode: string;
  paramValues: string;
  resultValues: string;
  configSnapshot: string;
  status: CommandStatus;
  errorCode: string;
  errorMessage: string;
  source: keyof typeof CommandSource;
  sourceUserId: string;
  occurTime: string;
  sendTime: string | null;
  finishTime: string | null;
  expireTime: string;
  schemaVersion: number;
  createTime: string;
  operateTime: string;
  deviceName: string;
  outcome: Outcome['status'];
  done: boolean;
  say: string;
};

/** Calls of a tenant with the device name, null for a deleted device. */
const callsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_command_history as c')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'c.tenantId').onRef('d.id', '=', 'c.deviceId'),
    )
    .selectAll('c')
    .select('d.deviceName')
    .where('c.tenantId', '=', tenantId);

type Row = Selectable<CommandHistoryTable> & { deviceName: string | null };

const recordOf = (row: Row): CommandRecord => {
  const facts = {
    deviceName: row.deviceName ?? row.deviceId,
    commandCode: row.commandCode,
    status: nameOf(CommandStatus, row.status),
    errorCode: row.errorCode,
    sendTime: row.sendTime?.toISOString() ?? null,
  };
  const { status: outcome, done, say } = callOutcome(facts);
  return { ...storedOf(row), ...facts, outcome, done, say };
};

type Stored = Omit<CommandRecord, 'deviceName' | 'outcome' | 'done' | 'say'>;

const storedOf = (row: Row): Stored => ({
  id: row.id,
  recordId: row.recordId,
  tenantId: row.tenantId,
  deviceId: row.deviceId,
  commandId: row.commandId,
  commandCode: row.commandCode,
  paramValues: JSON.stringify(row.paramValues),
  resultValues: JSON.stringify(row.resultValues),
  configSnapshot: JSON.stringify(row.configSnapshot),
  status: nameOf(CommandStatus, row.status),
  errorCode: row.errorCode,
  errorMessage: row.errorMessage,
  source: nameOf(CommandSource, row.source),
  sourceUserId: row.sourceUserId,
  occurTime: row.occurTime.toISOString(),
  sendTime: row.sendTime?.toISOString() ?? null,
  finishTime: row.finishTime?.toISOString() ?? null,
  expireTime: row.expireTime.toISOString(),
  schemaVersion: row.schemaVersion,
  createTime: row.createTime.toISOString(),
  operateTime: row.operateTime.toISOString(),
});

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
  inTenant(app.db, tenantId, async (q) => {
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
  inTenant(app.db, tenantId, (q) => {
    let query = callsOf(q, tenantId);
    if (given.deviceId) query = query.where('c.deviceId', '=', given.deviceId);
    if (given.commandId) query = query.where('c.commandId', '=', given.commandId);
    if (given.commandCode) query = query.where('c.commandCode', '=', given.commandCode);
    if (given.status !== undefined) query = query.where('c.status', '=', given.status);
    return pageOf(
      query.orderBy('c.occurTime', 'desc').orderBy('c.id', 'desc'),
      given.page,
      recordOf,
    );
  });
