import { setImmediate as turn } from 'node:timers/promises';

import { sql } from 'kysely';

import { withActor } from '../../../../src/db/actor.ts';
import { type Basis, relyingOn } from '../../../../src/db/basis.ts';
import { acrossTenants } from '../../../../src/db/tenant.ts';
import { Unavailable } from '../../../../src/kernel/errors.ts';
import { createRandom, type Random } from '../../hostile/random.ts';
import { asOwner, leftBehind, type Trip } from './queries.ts';
import type { Disturbance, Site } from './site.ts';
import { type Kind, kinds, raise, redefine, slow } from './trips.ts';

const TENANTS = ['101', '202'] as const;
const STALE = 'outdated';
const CHANGED = 'table changed';
const EMPTY_EVERY = 1_000;
const MAX_LOOKS = 8;
/** Of any trip: a table was changed under it, or the machine was slow. */
const EXPECTED = ['0A000', '57014', 'Query read timeout'];

type Shares = { tooLong: number; disturbed: number; redefined: number; raised: number };

export type Tally = {
  interleavings: number;
  trips: number;
  /** How often trips ended so, and how often something was done to them. */
  ends: Map<string, number>;
  wrong: string[];
};

type Run = { site: Site; shares: Shares; versions: Map<string, string>; tally: Tally };

/** Interleavings `from` to `to` of a seed; the same number does the same again. */
export async function interleave(
  site: Site,
  { seed, from = 0, to, shares }: { seed: number; from?: number; to: number; shares: Shares },
  isTimeUp: () => boolean = () => false,
): Promise<Tally> {
  const tally: Tally = { interleavings: 0, trips: 0, ends: new Map(), wrong: [] };
  const run: Run = { site, shares, versions: new Map(), tally };
  for (let nr = from; nr < to && !isTimeUp(); nr += 1) {
    await one(run, nr, createRandom(Math.imul(seed + nr, 0x9e3779b1)));
    tally.interleavings += 1;
    if (tally.interleavings % EMPTY_EVERY === 0)
      await acrossTenants(site.db, 'doctor', (q) => asOwner(q, sql`truncate proof_row`));
  }
  const [stale = 0, changes = 0] = ['0A000', CHANGED].map((end) => tally.ends.get(end));
  if (stale > changes) tally.wrong.push(`${stale} stale statements after ${changes} changes`);
  return tally;
}

const count = ({ tally: { ends } }: Run, end: string): void => {
  ends.set(end, (ends.get(end) ?? 0) + 1);
};

/** Two to five trips of both tenants at once; between them a look at what was left behind. */
async function one(run: Run, nr: number, random: Random): Promise<void> {
  const { site, shares } = run;
  const trips: { trip: Trip; end: Promise<unknown> }[] = [];
  const looks: Promise<unknown>[] = [];
  const size = 2 + random.upTo(4);
  for (let n = 0; n < size; n += 1) {
    const at = n < 2 ? n : random.upTo(2);
    const [tenant = '', other = ''] = at === 0 ? TENANTS : TENANTS.toReversed();
    const kind = kindOf(random, shares);
    if (kind === redefine) count(run, CHANGED);
    const trip: Trip = {
      name: `${nr}.${n}`,
      random: createRandom(random.upTo(2 ** 31)),
      tenant,
      other,
      isFree: false,
      fails: false,
      written: [],
      refused: [],
      wrong: [],
    };
    trips.push({ trip, end: endOf(start(run, kind, trip, random)) });
    looks.push(look(run, `after ${trip.name}`).catch(() => {}));
    if (random.chance(0.3)) await turn();
  }
  const how =
    site.disturb && random.chance(shares.disturbed)
      ? random.pick<Disturbance>(['pg_cancel_backend', 'pg_terminate_backend'])
      : null;
  if (how) {
    for (let turns = random.upTo(12); turns > 0; turns -= 1) await turn();
    await site.disturb?.(how);
    count(run, how);
  }
  await Promise.all(looks);
  const ends = await Promise.all(trips.map(async ({ trip, end }) => ({ trip, error: await end })));
  await finalLook(run, nr);
  await judge(run, ends, how);
}

function kindOf(random: Random, { tooLong, redefined, raised }: Shares): Kind {
  if (random.chance(tooLong)) return slow;
  if (random.chance(redefined)) return redefine;
  if (random.chance(raised)) return raise;
  return random.pick(kinds);
}

const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** Some trips have an actor, some rely on what they remember of their tenant. */
async function start(run: Run, kind: Kind, trip: Trip, random: Random): Promise<void> {
  const facts = random.chance(0.4) ? rememberedBy(run, trip, random) : null;
  const isStale = facts?.version === STALE;
  const actor = { id: trip.tenant, name: trip.name, via: 'test', at: '2026-11-22T00:00:00Z' };
  const work = () => relyingOn(facts, () => kind(run.site, trip));
  await (random.chance(0.3) ? withActor(actor, work) : work());
  if (isStale && facts?.version === STALE) trip.wrong.push(`ran on outdated facts: ${trip.name}`);
}

function rememberedBy(run: Run, trip: Trip, random: Random): Basis {
  const isRefused = random.chance(0.2);
  const facts: Basis = {
    tenantId: trip.tenant,
    version: random.chance(0.3) ? STALE : (run.versions.get(trip.tenant) ?? STALE),
    isChecked: false,
    isOver: false,
    async renew(present) {
      count(run, 'outdated');
      if (isRefused) {
        trip.fails = true;
        throw new Error('the facts have changed');
      }
      facts.version = present;
      run.versions.set(trip.tenant, present);
    },
  };
  return facts;
}

async function look({ site, tally }: Run, when: string): Promise<void> {
  const left = await leftBehind(site);
  if (left !== '') tally.wrong.push(`context left behind ${when}: ${left}`);
}

/** A back-end that was ended may still be in the pool for a moment. */
async function finalLook(run: Run, nr: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await look(run, `after ${nr}`);
    } catch (error) {
      if (attempt === MAX_LOOKS) throw error;
    }
  }
}

/** Whether a transaction that ended so may have been committed: its answer was lost. */
function mayBeKept(error: unknown): boolean {
  const cause = error instanceof Unavailable ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^(?:|57P01|ECONN\w+|EPIPE)$/.test(code) && error instanceof Unavailable;
}

const codeOf = (error: unknown): string => {
  const cause = error instanceof Unavailable ? error.cause : error;
  return cause instanceof Error
    ? 'code' in cause
      ? String(cause.code)
      : cause.message
    : String(cause);
};

async function judge(
  run: Run,
  ends: readonly { trip: Trip; error: unknown }[],
  how: Disturbance | null,
): Promise<void> {
  const markers = ends.flatMap(({ trip }) => [...trip.written, ...trip.refused]);
  const { rows } = await acrossTenants(run.site.db, 'doctor', (q) =>
    sql<{
      marker: string;
    }>`select marker from proof_row where marker = any(${markers}::text[])`.execute(q),
  );
  const there = new Set(rows.map(({ marker }) => marker));
  for (const { trip, error } of ends) {
    run.tally.trips += 1;
    const { wrong, written, refused } = trip;
    const kept = written.filter((marker) => there.has(marker)).length;
    const isWhole = kept === written.length;
    const isAllowed = error === null ? isWhole : kept === 0 || (mayBeKept(error) && isWhole);
    if (!isAllowed) wrong.push(`kept ${kept} of ${written.length} rows: ${String(error)}`);
    if (refused.some((marker) => there.has(marker))) wrong.push('kept what was refused');
    if (error === null && trip.fails) wrong.push('a failure was lost');
    const isInnocent = !trip.fails && how === null && !EXPECTED.includes(codeOf(error));
    if (error !== null && isInnocent) wrong.push(`failed without a cause: ${codeOf(error)}`);
    count(run, error === null ? 'done' : codeOf(error));
    run.tally.wrong.push(...wrong.map((text) => `${trip.name}: ${text}`));
  }
}
