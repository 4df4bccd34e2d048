import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { BadRequest } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { AnswerId, AnswerUuid, IsoTime } from '../../entity/answer.ts';
import { outcomeOf } from '../command/outcome.ts';
import { truthOf } from '../command/record.ts';
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
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const rows = await changeRows(q, tenantId, {
      since: since === undefined ? null : new Date(since),
      before: cursor === undefined ? null : readCursor(cursor),
      deviceId,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      records: shown.map((row) => ({
        at: row.at.toISOString(),
        kind: row.kind,
        operation: row.operation,
        actorId: row.actorId,
        actorName: row.actorName,
        via: row.via,
        entityType: row.entityType,
        entityId: row.entityId,
        entityName: row.entityName,
        deviceId: row.deviceId,
        deviceName: row.deviceName ?? '',
        pointId: row.pointId,
        pointName: row.pointName ?? '',
        changes:
          via !== 'login' && INTERACTIVE.has(row.entityType) ? hidden(row.changes) : row.changes,
        say: row.kind === 'write' ? sayOf(row, now) : '',
        actionId: row.actionId,
        commandId: row.commandId,
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

const sayOf = (row: Extract<ChangeRow, { kind: 'write' }>, now: number): string =>
  outcomeOf({
    ...truthOf(row, now),
    deviceId: row.deviceId,
    deviceName: row.deviceName ?? row.deviceId,
    pointId: row.pointId,
    pointName: row.pointName ?? row.pointId,
    unit: row.unit ?? '',
  }).say;
