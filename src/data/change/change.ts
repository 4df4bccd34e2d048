import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { BadRequest } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { AnswerId, AnswerUuid, IsoTime } from '../../entity/answer.ts';
import { commandsOf, receiptOf } from '../command/record.ts';
import { type ChangeRow, changeRows, KINDS } from './change-row.ts';

const MAX_LISTED = 100;
/**
 * Values shown to interactive logins only: the address of a channel or the config of a driver may be a
 * secret.
 */
const INTERACTIVE = new Set(['notify_channel', 'driver_attribute_config']);

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

export const ChangeQuery = input({
  /** ISO-8601; older changes are left out. */
  since: z.iso
    .datetime({ offset: true })
    .refine((since) => since >= '0002', 'must be of this era')
    .meta({ examples: ['2026-03-01T08:30:00Z'] })
    .optional(),
  deviceId: Id.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((limit) => Math.min(limit, MAX_LISTED)),
});

/**
 * Newest first: actor, entity, old and new values, way in, and the outcome of writes. Values that a token or
 * key cannot read elsewhere are hidden from it here too.
 */
export const list: Operation<z.infer<typeof ChangeQuery>, ChangePage> = (
  app,
  { tenantId, via },
  { since, deviceId, cursor, limit },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await changeRows(q, tenantId, {
      since: since === undefined ? null : new Date(since),
      before: cursor === undefined ? null : readCursor(cursor),
      deviceId,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const names = await namesOf(q, tenantId, shown);
    const says = await saysOf(q, tenantId, shown, app.clock.now());
    return {
      records: shown.map(({ id: _id, mark: _mark, at, ...row }) => ({
        ...row,
        changes:
          via !== 'login' && INTERACTIVE.has(row.entityType) ? hidden(row.changes) : row.changes,
        at: at.toISOString(),
        deviceName: names.devices.get(row.deviceId) ?? '',
        pointName: names.points.get(row.pointId) ?? '',
        say: says.get(row.commandId ?? '') ?? '',
      })),
      nextCursor: rows.length > limit && last ? writeCursor(last) : null,
    };
  });

const hidden = (changes: Change['changes']): Change['changes'] =>
  Object.fromEntries(Object.keys(changes).map((field) => [field, ['******', '******']]));

/** Time of the database to the microsecond; kind; id. */
const Cursor = z.tuple([
  z.iso.datetime({ precision: 6 }).refine((at) => at >= '0001'),
  z.enum(KINDS),
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

/** Present names of devices and points; a deleted one has none. */
async function namesOf(q: Queries, tenantId: string, rows: readonly ChangeRow[]) {
  const ids = (key: 'deviceId' | 'pointId'): string[] => [
    ...new Set(['0', ...rows.map((row) => row[key])]),
  ];
  const devices = await q
    .selectFrom('svc_device')
    .select(['id', 'deviceName'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids('deviceId'))
    .execute();
  const points = await q
    .selectFrom('svc_point')
    .select(['id', 'pointName'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids('pointId'))
    .execute();
  return {
    devices: new Map(devices.map(({ id, deviceName }) => [id, deviceName])),
    points: new Map(points.map(({ id, pointName }) => [id, pointName])),
  };
}

async function saysOf(
  q: Queries,
  tenantId: string,
  rows: readonly ChangeRow[],
  now: number,
): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ commandId }) => (commandId === null ? [] : [commandId]));
  if (ids.length === 0) return new Map();
  const found = await commandsOf(q, tenantId).where('c.commandId', 'in', ids).execute();
  return new Map(found.map((row) => [row.commandId, receiptOf(row, now).say]));
}
