import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { PointCommandHistoryTable } from '../../db/schema/data.ts';
import { AnswerUuid, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { OPEN_MS } from './evidence.ts';
import { CommandFacts, type CommandTruth, outcome } from './facts.ts';
import { outcomeOf } from './outcome.ts';
import { CommandSource, CommandStatus, CommandType, UNCERTAIN, Verification } from './state.ts';

/** The record of a command (docs/specification/commands.md, Command records). */
export const Receipt = CommandFacts.extend({
  commandId: AnswerUuid,
  errorMessage: z.string(),
  source: nameIn(CommandSource),
  actionId: AnswerUuid.nullable().describe('The confirmed proposal it comes from'),
  occurTime: IsoTime,
  finishTime: IsoTime.nullable(),
  expireTime: IsoTime,
  wasUnknown: z
    .object({ errorCode: z.string(), until: IsoTime })
    .nullable()
    .describe('Why a write that a reading proved was UNKNOWN, and until when'),
  ...outcome,
}).meta({
  id: 'Receipt',
  description: 'What became of a command: trust outcome and say, not the absence of an error',
});
export type Receipt = z.output<typeof Receipt>;

/** Point commands of a tenant with device name, point name and unit; the caller adds filters. */
export const commandsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_point_command_history as c')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'c.tenantId').onRef('d.id', '=', 'c.deviceId'),
    )
    .leftJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'c.tenantId').onRef('p.id', '=', 'c.pointId'),
    )
    .selectAll('c')
    .select(['d.deviceName', 'p.pointName'])
    // The unit at the time of the command, if stored.
    .select(({ fn }) => fn.coalesce('c.pointUnit', 'p.unit').as('unit'))
    .where('c.tenantId', '=', tenantId);

/** Columns of a command that say what became of it. */
export const FACT_COLUMNS = [
  'type',
  'requestValue',
  'responseValue',
  'beforeValue',
  'status',
  'verification',
  'readBackValue',
  'errorCode',
  'sendTime',
  'waitingTime',
  'expireTime',
  'seenValue',
  'seenTime',
  'settledTime',
  'openUntil',
  'reconfiguredTime',
] as const;

/** Null if the tenant has no such command; `now` as for `truthOf`. */
export async function findReceipt(
  q: Queries,
  tenantId: string,
  commandId: string,
  now: number,
): Promise<Receipt | null> {
  const row = await commandsOf(q, tenantId).where('c.commandId', '=', commandId).executeTakeFirst();
  return row ? receiptOf(row, now) : null;
}

export type FactColumns = Pick<
  Selectable<PointCommandHistoryTable>,
  Exclude<(typeof FACT_COLUMNS)[number], 'expireTime'>
> & { expireTime: Date | null };

/** `now` (ms since the epoch) decides whether a reading can still prove an unknown write. */
export function truthOf(row: FactColumns, now: number): CommandTruth {
  return {
    type: nameOf(CommandType, row.type),
    requestValue: row.requestValue,
    responseValue: row.responseValue,
    beforeValue: row.beforeValue,
    status: nameOf(CommandStatus, row.status),
    verification: nameOf(Verification, row.verification),
    readBackValue: row.readBackValue,
    errorCode: row.settledTime === null ? row.errorCode : '',
    sendTime: iso(row.sendTime),
    waits: waitsOf(row),
    seen:
      row.seenValue !== null && row.seenTime !== null
        ? { value: row.seenValue, time: row.seenTime.toISOString() }
        : null,
    settledTime: iso(row.settledTime),
    openUntil: openUntil(row, now),
    reconfiguredTime: iso(row.reconfiguredTime),
  };
}

/** Since when its driver holds a command for a device that sleeps; null for any other. */
export function waitsOf({
  status,
  waitingTime,
  expireTime,
}: Pick<FactColumns, 'status' | 'waitingTime' | 'expireTime'>): CommandTruth['waits'] {
  if (status !== CommandStatus.SENT || waitingTime === null || expireTime === null) return null;
  return { since: waitingTime.toISOString(), until: expireTime.toISOString() };
}

/** Until when a reading can prove the write (ISO-8601); null when none can. */
export function openUntil(
  row: Pick<FactColumns, 'type' | 'status' | 'sendTime' | 'openUntil'>,
  now: number,
): string | null {
  const { type, status, sendTime } = row;
  if (type !== CommandType.WRITE || !UNCERTAIN.includes(status) || sendTime === null) return null;
  const until = row.openUntil?.getTime() ?? sendTime.getTime() + OPEN_MS;
  return until > now ? new Date(until).toISOString() : null;
}

type Row = Awaited<ReturnType<ReturnType<typeof commandsOf>['executeTakeFirstOrThrow']>>;

export function receiptOf(row: Row, now: number): Receipt {
  const facts = {
    ...truthOf(row, now),
    deviceId: row.deviceId,
    deviceName: row.deviceName ?? row.deviceId,
    pointId: row.pointId,
    pointName: row.pointName ?? row.pointId,
    unit: row.unit ?? '',
  };
  const { status, done, say } = outcomeOf(facts);
  return {
    ...facts,
    commandId: row.commandId,
    errorMessage: row.settledTime === null ? row.errorMessage : '',
    source: nameOf(CommandSource, row.source),
    actionId: row.actionId,
    occurTime: row.occurTime.toISOString(),
    finishTime: iso(row.finishTime),
    expireTime: row.expireTime.toISOString(),
    wasUnknown:
      row.settledTime === null
        ? null
        : { errorCode: row.errorCode, until: row.settledTime.toISOString() },
    outcome: status,
    done,
    say,
  };
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;
