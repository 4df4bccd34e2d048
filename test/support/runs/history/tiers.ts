import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import { closeTurn } from '../../../../src/data/history/close/turn.ts';
import { unknownOf } from '../../../../src/data/history/late.ts';
import { insertHistory } from '../../../../src/data/ingest/ingest.ts';
import { deleteSome } from '../../../../src/data/retention/deletion-run.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { agentIn } from '../../../tools/agent.ts';
import { virtualDriver } from '../../devices/plant.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { seeded } from '../../world/seeded.ts';
import { alarmsAt, answersOf } from './readers.ts';
import { closeAll, counted, onlyRows, type Row, rowsOf, type Site, siteOf } from './values.ts';

const HOUR = 3_600_000;
const MAX_BATCH = 400;
/** Between the statements of a turn. */
const POINTS = [
  'close-read',
  'close-inserted',
  'close-counted',
  'close-removed',
  'close-written',
  'closed',
];

/** `now` is the time of the clock, which has to be held. */
type Asked = { seed: number; now: number; hours: number; everyMs: number };
export type Tiers = {
  values: number;
  again: number;
  turns: number;
  ended: number;
  /** Values that were deleted, of spans. */
  deleted: number;
  differ: string[];
};

/**
 * Stores values in random order, some of them again with another value, while hours are closed by turns that end anywhere and
 * spans are deleted by slices that do; names what readers answer differently than of the same values in a plain table, before and after all is closed.
 */
export async function runTiers(world: World, session: Session, asked: Asked): Promise<Tiers> {
  const { seed, now, hours, everyMs } = asked;
  const { tenantId } = session;
  const site = await siteOf(session, await virtualDriver(session));
  const random = seeded(seed);
  const rows = shuffled(rowsOf(site, seed, { end: now - 180_000, hours, everyMs }), random);
  const table = new Map<string, Row>();
  const ran: Tiers = { values: rows.length, again: 0, turns: 0, ended: 0, deleted: 0, differ: [] };
  for (let first = 0; first < rows.length;) {
    const batch = rows.slice(first, first + 1 + Math.floor(random() * MAX_BATCH));
    first += batch.length;
    const again = batch
      .filter(() => random() < 0.1)
      .map((row) => ({ ...row, raw: '7', cal: '7', num: 7, quality: 0, issue: 'again' }));
    const earlier = [...table.values()].slice(-MAX_BATCH).filter(() => random() < 0.1);
    ran.again += again.length + earlier.length;
    const received = now - Math.floor(random() * hours * HOUR);
    await storeLate(world, site, { batch: [...batch, ...earlier], received, table });
    await storeLate(world, site, { batch: again, received: received + 1, table });
    if (random() < 0.4) await closeSome(world, site, { random, now, ran });
    if (random() < 0.3) await deleteSpan(world, site, { random, table, ran });
  }
  const caller = { ...agentIn(session), timezone: 'Asia/Kathmandu' };
  const alarms = await alarmsAt(world, site, [now - (hours / 2) * HOUR, now - 5 * HOUR + 60_001]);
  const looked = { from: now - (hours + 1) * HOUR, to: now, alarms };
  const answers = () => answersOf(world, caller, site, looked);
  const beside = await answers();
  ran.turns += await closeAll(world, tenantId, now - 2 * HOUR);
  const closed = await answers();
  const left = await counted(world, tenantId);
  if (left && left.hot + left.closed !== table.size)
    ran.differ.push(`${table.size} values are stored, ${left.hot + left.closed} found`);
  await onlyRows(world, tenantId, [...table.values()]);
  const plain = await answers();
  for (const [name, answer] of Object.entries(plain)) {
    if (!isDeepStrictEqual(beside[name], answer)) ran.differ.push(`${name}, partly closed`);
    if (!isDeepStrictEqual(closed[name], answer)) ran.differ.push(`${name}, closed`);
  }
  return ran;
}

const keyOf = ({ deviceId, pointId, at, seq }: Row): string =>
  `${deviceId}:${pointId}:${at}:${seq}`;

type Storing = { batch: readonly Row[]; received: number; table: Map<string, Row> };

/** As ingest and imports store what may be of closed hours; the first value of a time and sequence is kept. */
async function storeLate(
  world: World,
  { tenantId }: Site,
  { batch, received, table }: Storing,
): Promise<void> {
  for (const [driverId, rows] of Map.groupBy(batch, (row) => row.driverId)) {
    const values = rows.map((row) => ({
      deviceId: row.deviceId,
      pointId: row.pointId,
      originTime: row.at,
      seq: row.seq,
      rawValue: row.raw,
      calValue: row.cal,
      numValue: row.num,
      quality: qualityOf(row.quality),
      claimedTime: row.claimed,
      ...(row.issue !== null && { issue: row.issue }),
    }));
    await inTenant(world.app.db, tenantId, async (q) =>
      insertHistory(q, { tenantId, driverId }, await unknownOf(q, tenantId, values), received),
    );
    for (const row of rows) if (!table.has(keyOf(row))) table.set(keyOf(row), { ...row, received });
  }
}

const qualityOf = (quality: number): 0 | 1 | 2 => {
  if (quality === 0) return 0;
  return quality === 1 ? 1 : 2;
};

type Closing = { random: () => number; now: number; ran: Tiers };

/** A few turns of a pass that may be the one before; half of them end somewhere. */
async function closeSome(
  world: World,
  { tenantId }: Site,
  { random, now, ran }: Closing,
): Promise<void> {
  await inTenant(world.app.db, tenantId, (q) =>
    sql`update svc_value_closing set closed_until = null where tenant_id = ${tenantId}`.execute(q),
  );
  const until = Math.floor(now / HOUR - 2 - random() * 10) * HOUR;
  const { crashAt } = world.app;
  const point = random() < 0.5 ? POINTS[Math.floor(random() * POINTS.length)] : null;
  let left = 1 + Math.floor(random() * 3);
  world.app.crashAt = (at) => {
    if (at === point && (left -= 1) === 0) throw new Ended();
  };
  try {
    for (let turns = 0; turns < 8; turns += 1) {
      ran.turns += 1;
      const turn = { until, closeAfterMs: 2 * HOUR };
      if ((await closeTurn(world.app, tenantId, turn)) !== 'more') break;
    }
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    ran.ended += 1;
  } finally {
    world.app.crashAt = crashAt;
  }
}

type Deleting = { random: () => number; table: Map<string, Row>; ran: Tiers };

/** Some minutes to some hours of a point of a device, from a value that is stored, whatever has it now. */
async function deleteSpan(
  world: World,
  { tenantId }: Site,
  { random, table, ran }: Deleting,
): Promise<void> {
  const stored = [...table.values()];
  const first = stored[Math.floor(random() * stored.length)];
  if (!first) return;
  const { deviceId, pointId, at: from } = first;
  const to = from + Math.floor(random() ** 3 * 6 * HOUR);
  const id = await inTenant(world.app.db, tenantId, async (q) => {
    const { rows } = await sql<{ id: string }>`
      insert into svc_value_deletion (deletion_name, device_id, point_id, from_time, to_time, reason, tenant_id)
      values ('a span', ${deviceId}, ${pointId}, ${new Date(from)}, ${new Date(to)}, 'test', ${tenantId})
      returning id`.execute(q);
    return rows[0]?.id ?? '0';
  });
  const { crashAt } = world.app;
  const ends = ['deletion-erased', 'deletion-slice'].filter(() => random() < 0.5);
  world.app.crashAt = (at) => {
    if (ends.includes(at)) throw new Ended();
  };
  try {
    while ((await deleteSome(world.app, tenantId, id)) !== 'ended');
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    ran.ended += 1;
  } finally {
    world.app.crashAt = crashAt;
  }
  while ((await deleteSome(world.app, tenantId, id)) !== 'ended');
  for (const row of stored) {
    if (row.deviceId !== deviceId || row.pointId !== pointId) continue;
    if (row.at < from || row.at > to) continue;
    table.delete(keyOf(row));
    ran.deleted += 1;
  }
}

class Ended extends Error {}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [mixed[at], mixed[other]];
    if (a !== undefined && b !== undefined) [mixed[at], mixed[other]] = [b, a];
  }
  return mixed;
}
