import { centers } from '../../../../src/gateway/mount/centers.ts';
import type { Route } from '../../../../src/kernel/app/route.ts';
import { wrongRest } from '../answers.ts';
import { type Attacker, newAttacker, revived } from '../attacker.ts';
import { garbage, rawGarbage } from '../garbage.ts';
import { flat, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import { bodiesFor } from '../route-body.ts';
import type { Site, Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutatedFields } from '../values.ts';

type Row = Route & { center: string };

const rows: readonly Row[] = Object.entries(centers).flatMap(([center, routes]) =>
  routes.map((route) => ({ ...route, center })),
);
const WIDTH = 8;
/** Asks a vendor that may not be there, for as long as a connection may take. */
const CHECK = '/provider/config/check';
const VENDOR_MS = 10_000;
const JSON_TYPE = ['content-type', 'application/json'];

/** Every route of the centers' tables, as a tenant's admin; routes of the platform as its own admin. */
export const rest: Surface = {
  name: 'REST',
  async attack(site) {
    const { world, until } = site;
    const client = new HostileClient(world.base);
    let attacker = await newAttacker(world);
    for (const row of rows.filter(({ needs }) => needs !== 'public')) {
      await attackRoute(site, client, row, attacker);
      attacker = await revived(world, attacker);
      if (performance.now() > until) site.tally.fail(`out of time before ${row.path}`);
      if (performance.now() > until) break;
    }
    client.close();
  },
};

async function attackRoute(
  { world, random, tally, inputs }: Site,
  client: HostileClient,
  row: Row,
  { session, own }: Attacker,
): Promise<void> {
  const isPlatform = row.needs.startsWith('tenant:') || row.needs.startsWith('platform');
  const headers = isPlatform ? world.admin.headers : session.headers;
  const make = bodiesFor(row, own);
  const path = `/api/v3/${row.center}${row.path}`;
  await inParallel(inputs, WIDTH, async () => {
    if (random.chance(0.03)) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const bytes = rawGarbage(path, lines.join(''), random);
      const got = await client.raw(bytes);
      tally.count(got.status, got.ms, wrongRest(got, 'POST'), `raw ${shown(bytes)}`);
      return;
    }
    const target = {
      method: row.method.toUpperCase(),
      path,
      headers: flat(headers),
      body: make(random),
    };
    const sent = random.chance(0.25) ? garbage(target, random) : fields(target, random);
    const got = await client.send(sent);
    const ms = row.path === CHECK ? Math.max(0, got.ms - VENDOR_MS) : got.ms;
    tally.count(got.status, ms, wrongRest(got, sent.method), described(sent));
  });
}

type Target = { method: string; path: string; headers: readonly string[]; body: object };

/** A readable request with hostile fields. */
function fields({ method, path, headers, body }: Target, random: Random): Sent {
  const hostile = random.chance(0.08)
    ? hostileValue(random)
    : mutatedFields(random, body, random.chance(0.8) ? 1 : 3);
  const all = [...headers, ...JSON_TYPE];
  const inQuery = method === 'GET' || random.chance(0.1);
  if (!inQuery) return { method, path, headers: all, body: jsonOf(hostile) };
  const entries = Object.entries(typeof hostile === 'object' && hostile !== null ? hostile : {});
  const query = entries
    .slice(0, 50)
    .map(
      ([key, value]) =>
        `${escaped(key)}=${escaped(typeof value === 'string' ? value : jsonOf(value))}`,
    )
    .join('&');
  return {
    method,
    path: `${path}?${query}`.slice(0, 12_000),
    headers: all,
    ...(method === 'POST' ? { body: '{}' } : {}),
  };
}

/** As encodeURIComponent, which throws for broken Unicode. */
const escaped = (text: string): string =>
  encodeURIComponent(text.slice(0, 4_000).toWellFormed()) +
  (text.isWellFormed() ? '' : '%ED%A0%80');

export const described = ({ method, path, body }: Sent): string =>
  `${method} ${path.slice(0, 200)} ${shown(body ?? '')}`;

export const shown = (bytes: string | Buffer): string =>
  JSON.stringify(
    typeof bytes === 'string' ? bytes.slice(0, 300) : bytes.toString('hex').slice(0, 120),
  );
