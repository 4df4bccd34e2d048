import { sql } from 'kysely';
import { z } from 'zod';

import { demandWritable, type Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { DiskRoom, diskRoom } from '../../kernel/app/disk-room.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { type Center, CENTERS } from '../../kernel/process/layout.ts';
import { request } from '../../kernel/request/http.ts';
import { EntityState } from '../../manager/device/state.ts';
import { receivedUntil } from '../../manager/driver/listening.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { ClosedUntil, closedUntil } from '../history/lag.ts';
import { RefusedCount, refusedValues } from '../ingest/refused-values.ts';

const PROBE_MS = 1_000;

const Reach = z
  .enum(['up', 'down', 'unknown'])
  .describe('unknown: it runs in another process and its SVC_…_URL is not set');
type Reach = z.output<typeof Reach>;

const CenterHealth = z.record(z.enum(CENTERS), Reach);

/**
 * Each center as this process sees it: `up` in this process, else by an answer of `/healthz` within a second at one
 * of its addresses.
 */
async function centerHealth({ config }: App): Promise<z.output<typeof CenterHealth>> {
  const reach = async (center: Center): Promise<Reach> => {
    if (config.services.has(center)) return 'up';
    const { urls } = config.centers[center];
    if (urls.length === 0) return 'unknown';
    return (await Promise.all(urls.map(probe))).includes('up') ? 'up' : 'down';
  };
  const [auth, manager, data, agentic] = await Promise.all(CENTERS.map(reach));
  return {
    auth: auth ?? 'unknown',
    manager: manager ?? 'unknown',
    data: data ?? 'unknown',
    agentic: agentic ?? 'unknown',
  };
}

/** The address is the operator's own setting, so it needs no egress guard. */
const probe = (url: string): Promise<Reach> =>
  new Promise((resolve) => {
    const asked = request(`${url}/healthz`, { timeout: PROBE_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'up' : 'down');
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve('down'));
    asked.end();
  });

const Fleet = z.object({ total: z.number().int(), online: z.number().int() });
type Fleet = z.output<typeof Fleet>;

export const SystemHealth = z.object({
  center: CenterHealth,
  infra: z.object({
    database: z.enum(['up', 'down']),
    mq: z
      .enum(['up', 'unknown'])
      .describe('up if a driver is online, because its heartbeats come over the bus'),
  }),
  drivers: Fleet.nullable().describe('null while the database is down'),
  devices: Fleet.nullable().describe('null while the database is down'),
  history: ClosedUntil.nullable().describe('null while the database is down'),
  refusedValues: z.array(RefusedCount),
  disk: DiskRoom.nullable().describe('Of the embedded database; null: it is not known'),
});
type SystemHealth = z.output<typeof SystemHealth>;

/**
 * State of the centers, the database and the bus, and how much of the tenant's fleet is online; and in the same trip
 * the answer of `beside`, null while the database is down.
 */
export async function systemHealthBeside<T>(
  app: App,
  { tenantId }: Caller,
  beside: (q: Queries) => Promise<T>,
): Promise<{ health: SystemHealth; beside: T | null }> {
  const [center, disk] = await Promise.all([centerHealth(app), diskRoom(app)]);
  const now = app.clock.now();
  try {
    const [, drivers, devices, history, refused, answer] = await inOneTrip(app.db, tenantId, (q) =>
      Promise.all([
        demandWritable(q),
        fleet(q, tenantId, 'svc_driver', now),
        fleet(q, tenantId, 'svc_device', now),
        closedUntil(q, tenantId, now),
        refusedValues(q, tenantId),
        beside(q),
      ]),
    );
    const infra = { database: 'up', mq: drivers.online > 0 ? 'up' : 'unknown' } as const;
    const known = { center, infra, disk, drivers, devices, history, refusedValues: refused };
    return { health: known, beside: answer };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    app.log.warn({ error }, 'the database does not answer');
    const infra = { database: 'down', mq: 'unknown' } as const;
    const unknown = { drivers: null, devices: null, history: null, refusedValues: [] };
    const health = { center, infra, disk, ...unknown };
    return { health, beside: null };
  }
}

const kinds = { svc_driver: EntityType.DRIVER, svc_device: EntityType.DEVICE } as const;

async function fleet(
  q: Queries,
  tenantId: string,
  table: keyof typeof kinds,
  now: number,
): Promise<Fleet> {
  const row = await q
    .selectFrom(table)
    .leftJoin('svc_entity_state as state', (join) =>
      join
        .onRef('state.entityId', '=', `${table}.id`)
        .on('state.tenantId', '=', tenantId)
        .on('state.entityTypeFlag', '=', kinds[table])
        .on('state.entityStateFlag', '!=', EntityState.OFFLINE)
        .on('state.expireTime', '>', receivedUntil(now)),
    )
    .select([sql<string>`count(*)`.as('total'), sql<string>`count(state.entity_id)`.as('online')])
    .where(`${table}.tenantId`, '=', tenantId)
    .executeTakeFirstOrThrow();
  return { total: Number(row.total), online: Number(row.online) };
}
