import { z } from 'zod';

import { allows } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, AnswerUuid, IsoTime } from '../../kernel/entity/answer.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { filters } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { outcomeOf } from '../command/outcome.ts';
import { truthOf } from '../command/record.ts';
import {
  CHANGE_KINDS,
  type ChangeRow,
  changeRows,
  countRows,
  KINDS,
  ROW_KINDS,
  type Wanted,
} from './change-row.ts';
import { lineOf } from './line.ts';

const MAX_LISTED = 100;
/**
 * Values shown to interactive logins only, and the permission that reading them takes: the address of a channel or
 * the config of a driver may be a secret.
 */
const INTERACTIVE = new Map([
  ['notify_channel', 'svc-center-data:notify_channel:update'],
  ['driver_attribute_config', null],
]);

/** One configuration change, proposal, decision or write. */
const Change = z
  .object({
    at: IsoTime,
    kind: z.enum(KINDS),
    operation: z.string().meta({
      description: 'ADD, UPDATE, DELETE; action:propose, action:confirm …; WRITE',
      examples: ['UPDATE'],
    }),
    actorId: AnswerId,
    actorName: z.string().meta({ examples: ['admin'] }),
    via: z.string().meta({
      description: 'The way in: login, oauth, key, model, action (a confirmed proposal) or system',
      examples: ['login'],
    }),
    source: z
      .string()
      .describe(
        'The address that the call came from; empty where that is not kept, and for tokens and keys',
      ),
    entityType: z.string().meta({ examples: ['point'] }),
    entityId: z.string(),
    entityName: z.string().meta({ examples: ['Setpoint'] }),
    deviceId: AnswerId,
    deviceName: z.string().meta({ examples: ['Boiler 2'] }),
    pointId: AnswerId,
    pointName: z.string().meta({ examples: ['Setpoint'] }),
    changes: z
      .record(z.string(), z.unknown())
      .describe('Of a configuration: field → [old, new]; secrets are hidden'),
    what: z
      .string()
      .describe('What was done, in words; from and to are beside it where they are single values')
      .meta({ examples: ['point “Setpoint” changed: max value'] }),
    from: z.string().nullable(),
    to: z.string().nullable(),
    say: z.string().describe('Of a write: its outcome as one sentence, else empty'),
    actionId: AnswerUuid.nullable(),
    commandId: AnswerUuid.nullable(),
  })
  .meta({ id: 'Change' });
type Change = z.output<typeof Change>;

export const ChangePage = z.object({
  records: z.array(Change),
  nextCursor: z.string().nullable().describe('Continues the list; null at its end'),
});
type ChangePage = z.output<typeof ChangePage>;

const DAY_MS = 86_400_000;
/** Of a table without `since`, and the most it has. */
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

const Since = z.iso
  .datetime({ offset: true })
  .refine((since) => since >= '0002', 'must be of this era')
  .meta({ examples: ['2026-03-01T08:30:00Z'] });

const filter = {
  /** ISO-8601; older changes are left out. */
  since: Since.optional(),
  /** Changes from then on are left out. */
  until: Since.transform((until) => new Date(until)).optional(),
  deviceId: Id.optional(),
  entityType: Text(64)
    .describe('As the answer has it: device, point, profile, rule …')
    .meta({ examples: ['point'] })
    .optional(),
  entityId: Id.describe('With entityType, which it needs: the history of one thing').optional(),
  kind: z.enum(CHANGE_KINDS).optional(),
  by: Text(64).describe('Part of the name of the actor or the proposer').optional(),
  via: Text(64).optional(),
  text: Text(64)
    .describe('Part of the name of what was changed, its device or its point')
    .optional(),
};

export const ChangeQuery = filters({
  ...filter,
  cursor: z.string().max(200).optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((limit) => Math.min(limit, MAX_LISTED)),
});
export const ChangeExport = filters(filter);

type Asked = z.infer<typeof ChangeQuery> & Pick<Wanted, 'pointId'>;

/**
 * Newest first: actor, entity, old and new values, way in, and the outcome of writes. Values that a token or
 * key cannot read elsewhere are hidden from it here too.
 */
export const list: Operation<z.infer<typeof ChangeQuery>, ChangePage> = (app, caller, asked) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    demandType(asked);
    const now = app.clock.now();
    const { rows, nextCursor } = await pageIn(q, caller, asked);
    return { records: rows.map((row) => changeOf(row, now)), nextCursor };
  });

/** A rule, a device and a point may have the same id. */
function demandType({ entityType, entityId }: Pick<Asked, 'entityType' | 'entityId'>): void {
  if (entityId !== undefined && entityType === undefined)
    throw new BadRequest('entityId needs entityType');
}

/**
 * The same as a table (CSV), page by page; of the last 30 days unless `since` is given. Throws BadRequest for more than
 * 366 days.
 */
export const exportChanges: Operation<z.infer<typeof ChangeExport>, AsyncIterable<string>> = async (
  app,
  caller,
  given,
) => {
  demandType(given);
  const until = given.until?.getTime() ?? app.clock.now() + 1;
  const since = given.since ?? new Date(Math.max(0, until - DEFAULT_DAYS * DAY_MS)).toISOString();
  if (until - Date.parse(since) > MAX_DAYS * DAY_MS)
    throw new BadRequest(`A table has at most ${MAX_DAYS} days`);
  return pages(app, caller, { ...given, since, until: new Date(until), limit: MAX_LISTED });
};

async function* pages(app: App, caller: Caller, asked: Asked): AsyncGenerator<string> {
  yield UTF8_MARK + formatCsv([TITLES]);
  for (let cursor: string | null = null; ;) {
    const from = cursor ?? undefined;
    const { records, nextCursor }: ChangePage = await list(app, caller, { ...asked, cursor: from });
    yield formatCsv(records.map((record) => TITLES.map((title) => cellOf(record[title]))));
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

const TITLES = [
  'at',
  'kind',
  'operation',
  'actorName',
  'via',
  'source',
  'entityType',
  'entityId',
  'entityName',
  'deviceName',
  'pointName',
  'what',
  'from',
  'to',
  'say',
  'actionId',
  'changes',
] as const;

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

type FoundRows = { rows: ChangeRow[]; cursors: string[]; isEnd: boolean; total: number };

/** The rows of the same, with changes of rights for readers of the audit; `total` counts all that is found, of each part to 1,000. */
export const rowsOf: Operation<Asked, FoundRows> = (app, caller, asked) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const wanted = { ...asked, hasRights: allows(caller, AUDIT) };
    const since = asked.since === undefined ? null : new Date(asked.since);
    const [{ rows, nextCursor }, total] = await Promise.all([
      pageIn(q, caller, wanted),
      countRows(q, caller.tenantId, { ...wanted, since, before: null }),
    ]);
    return { rows, cursors: rows.map(writeCursor), isEnd: nextCursor === null, total };
  });

/** Permission to read who may do what was changed by whom. */
const AUDIT = 'svc-center-auth:audit:list';

async function pageIn(
  q: Queries,
  caller: Caller,
  { since, cursor, limit, ...narrow }: Asked & { hasRights?: boolean },
): Promise<{ rows: ChangeRow[]; nextCursor: string | null }> {
  const found = await changeRows(q, caller.tenantId, {
    ...narrow,
    since: since === undefined ? null : new Date(since),
    before: cursor === undefined ? null : readCursor(cursor),
    limit: limit + 1,
  });
  const rows = found.slice(0, limit).map((row) => readableBy(caller, row));
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last ? writeCursor(last) : null };
}

function changeOf(row: ChangeRow, now: number): Change {
  const { what, from = null, to = null } = lineOf(row, now);
  return {
    at: row.at.toISOString(),
    kind: row.kind === 'right' ? 'configuration' : row.kind,
    operation: row.operation,
    actorId: row.actorId,
    actorName: row.actorName,
    via: row.via,
    source: row.source,
    entityType: row.entityType,
    entityId: row.entityId,
    entityName: row.entityName,
    deviceId: row.deviceId,
    deviceName: row.deviceName ?? '',
    pointId: row.pointId,
    pointName: row.pointName ?? '',
    changes: row.changes,
    what,
    from,
    to,
    say: row.kind === 'write' ? sayOf(row, now) : '',
    actionId: row.actionId,
    commandId: row.commandId,
  };
}

export function readableBy(caller: Caller, given: ChangeRow): ChangeRow {
  // Where people are is for people, as in the identity audit.
  const row = caller.via === 'login' ? given : { ...given, source: '' };
  const needs = INTERACTIVE.get(row.entityType);
  if (needs === undefined) return row;
  const isReadable = caller.via === 'login' && (needs === null || allows(caller, needs));
  return isReadable ? row : { ...row, changes: hidden(row.changes) };
}

const hidden = (changes: Change['changes']): Change['changes'] =>
  Object.fromEntries(Object.keys(changes).map((field) => [field, ['******', '******']]));

/** Time of the database to the microsecond; kind; id. */
const Cursor = z.tuple([
  z.iso.datetime({ precision: 6 }).refine((at) => at >= '0001'),
  z.enum(ROW_KINDS),
  Id,
]);

const writeCursor = ({ mark, kind, id }: ChangeRow): string =>
  Buffer.from(JSON.stringify([mark, kind, id])).toString('base64url');

function readCursor(cursor: string): { at: string; kind: string; id: string } {
  try {
    const [at, kind, id] = Cursor.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')),
    );
    return { at, kind, id };
  } catch {
    throw new BadRequest('cursor must be the nextCursor of an earlier answer');
  }
}

const sayOf = (row: Extract<ChangeRow, { kind: 'write' }>, now: number): string =>
  outcomeOf({
    ...truthOf(row, now),
    deviceId: row.deviceId,
    deviceName: row.deviceName ?? row.deviceId,
    pointId: row.pointId,
    pointName: row.pointName ?? row.pointId,
    unit: row.unit ?? '',
  }).say;
