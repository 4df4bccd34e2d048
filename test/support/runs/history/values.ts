import { sql } from 'kysely';

import { closeTurn } from '../../../../src/data/history/close/turn.ts';
import { IMPORTED } from '../../../../src/data/value/imported.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { add } from '../../devices/plant.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { seeded } from '../../world/seeded.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A device with a number, a counter, a state, a switch and a text, and a second one of the same kind. */
export type Site = {
  tenantId: string;
  driverId: string;
  devices: [string, string];
  points: Record<Kind, string>;
};
const KINDS = {
  number: 'DOUBLE',
  counter: 'LONG',
  mode: 'INT',
  switch: 'BOOLEAN',
  text: 'STRING',
} as const;
type Kind = keyof typeof KINDS;
export const kinds = ['number', 'counter', 'mode', 'switch', 'text'] as const;

export async function siteOf(session: Session, driverId: string): Promise<Site> {
  const profileId = await add(session, 'profile', { profileName: fresh('room') });
  const pointOf = (kind: Kind) =>
    add(session, 'point', {
      pointName: kind,
      pointTypeFlag: KINDS[kind],
      rwFlag: 'READ_WRITE',
      profileId,
    });
  const points = {
    number: await pointOf('number'),
    counter: await pointOf('counter'),
    mode: await pointOf('mode'),
    switch: await pointOf('switch'),
    text: await pointOf('text'),
  };
  const device = () => add(session, 'device', { deviceName: fresh('site'), driverId, profileId });
  return {
    tenantId: session.tenantId,
    driverId,
    devices: [await device(), await device()],
    points,
  };
}

/** A row as it is stored; times in ms. */
export type Row = {
  deviceId: string;
  pointId: string;
  driverId: string;
  at: number;
  seq: number;
  raw: string;
  cal: string;
  num: number | null;
  quality: number;
  received: number;
  claimed: number | null;
  issue: string | null;
};

/** About one value in `everyMs` of each point of both devices in the hours before `end`, of everything that rows hold. */
export function rowsOf(
  site: Site,
  seed: number,
  { end, hours, everyMs }: { end: number; hours: number; everyMs: number },
): Row[] {
  const random = seeded(seed);
  const rows = new Map<string, Row>();
  for (const deviceId of site.devices)
    for (const kind of kinds) {
      let count = 1_000;
      for (let at = end - hours * HOUR; at < end; at += everyMs) {
        const measured = at + Math.floor(random() * everyMs * 0.9);
        // The counter begins again now and then; some values share their time.
        count = random() < 0.02 ? 0 : count + Math.floor(random() * 5);
        for (let seq = 0; seq < (random() < 0.05 ? 3 : 1); seq += 1) {
          const row = rowAt(random, { kind, count, at: measured, seq });
          const of = { deviceId, pointId: site.points[kind], driverId: site.driverId };
          // Another driver served the second device for a while.
          if (deviceId === site.devices[1] && random() < 0.1) of.driverId = '77';
          rows.set(`${deviceId}:${kind}:${measured}:${seq}`, { ...of, ...row });
        }
      }
    }
  return [...rows.values()];
}

const DELAYS = [20, 150, 700, 20_000, 90_000_000, -400];

type Said = { kind: Kind; count: number; at: number; seq: number };

function rowAt(random: () => number, { kind, count, at, seq }: Said) {
  const isBad = random() < 0.04;
  const isDoubtful = !isBad && random() < 0.04;
  const number = Math.round((20 + 5 * Math.sin(at / HOUR) + random()) * 100) / 100;
  const said = {
    number: String(number),
    counter: String(count),
    mode: String(Math.floor(at / (7 * MINUTE)) % 3),
    switch: String(Math.floor(at / (5 * MINUTE)) % 2 === 0),
    text: ['run', 'läuft', '“stop”', '运行', ''][Math.floor(at / (9 * MINUTE)) % 5] ?? '',
  }[kind];
  const num = {
    number,
    counter: count,
    mode: Number(said),
    switch: said === 'true' ? 1 : 0,
    text: null,
  }[kind];
  return {
    at,
    seq,
    raw: kind === 'number' ? String(number * 10) : said,
    cal: isBad ? '' : said,
    num: isBad ? null : num,
    quality: isBad ? 2 : isDoubtful ? 1 : 0,
    received: at + (DELAYS[Math.floor(random() ** 3 * DELAYS.length)] ?? 0),
    claimed: random() < 0.01 ? Date.UTC(9999, 11, 31) : null,
    issue: isBad ? 'broken' : random() < 0.03 ? IMPORTED : null,
  };
}

/** Stores rows as they are. */
export async function storeRows(
  world: World,
  tenantId: string,
  rows: readonly Row[],
): Promise<void> {
  const seconds = (times: readonly (number | null)[]) =>
    times.map((ms) => (ms === null ? null : new Date(ms)));
  for (let from = 0; from < rows.length; from += 5_000) {
    const slice = rows.slice(from, from + 5_000);
    await inTenant(world.app.db, tenantId, (q) =>
      sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value,
          cal_value, num_value, quality, receive_time, claimed_time, issue)
        select ${tenantId}::bigint, r.* from unnest(${slice.map(({ deviceId }) => deviceId)}::bigint[],
          ${slice.map(({ pointId }) => pointId)}::bigint[], ${slice.map(({ driverId }) => driverId)}::bigint[],
          ${seconds(slice.map(({ at }) => at))}::timestamptz[], ${slice.map(({ seq }) => seq)}::bigint[],
          ${slice.map(({ raw }) => raw)}::text[], ${slice.map(({ cal }) => cal)}::text[],
          ${slice.map(({ num }) => num)}::float8[], ${slice.map(({ quality }) => quality)}::smallint[],
          ${seconds(slice.map(({ received }) => received))}::timestamptz[],
          ${seconds(slice.map(({ claimed }) => claimed))}::timestamptz[],
          ${slice.map(({ issue }) => issue)}::text[]) r`.execute(q),
    );
  }
}

/** Closes all hours of a tenant that end by `until` (ms), and folds what is late; says how many turns it took. */
export async function closeAll(world: World, tenantId: string, until: number): Promise<number> {
  await inTenant(world.app.db, tenantId, (q) =>
    sql`update svc_value_closing set closed_until = null where tenant_id = ${tenantId}`.execute(q),
  );
  const turn = { until: Math.floor(until / HOUR) * HOUR, closeAfterMs: 2 * HOUR };
  let turns = 1;
  while ((await closeTurn(world.app, tenantId, turn)) !== 'done') turns += 1;
  return turns;
}

/** How many values are in rows, in closed hours, and in the counts of those by delay. */
export const counted = (world: World, tenantId: string) =>
  inTenant(world.app.db, tenantId, async (q) => {
    const { rows } = await sql<{ hot: number; closed: number; delays: number }>`
      select (select count(*)::int from svc_point_value where tenant_id = ${tenantId}) as hot,
        (select coalesce(sum(value_count), 0)::int from svc_value_hour where tenant_id = ${tenantId}) as closed,
        (select coalesce(sum(value_count), 0)::int from svc_value_delay where tenant_id = ${tenantId}) as delays`.execute(
      q,
    );
    return rows[0];
  });

/** All values of a tenant in rows again, none closed. */
export async function onlyRows(
  world: World,
  tenantId: string,
  rows: readonly Row[],
): Promise<void> {
  await inTenant(world.app.db, tenantId, async (q) => {
    for (const table of ['svc_value_hour', 'svc_value_delay', 'svc_point_value'])
      await sql`delete from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(q);
  });
  await storeRows(world, tenantId, rows);
}
