import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';

const Count = z.number().int();
const child = {
  id: z.string().meta({ examples: ['device:7312'] }),
  name: z.string().meta({ examples: ['Boiler 2'] }),
  type: z.enum(['driver', 'device', 'profile']),
};
const Child = z.object(child);
const Node = z.object({ ...child, layer: Count, hiddenChildren: z.array(Child) });
type Node = z.output<typeof Node>;

/** Graph of drivers, their devices and the profiles of these, with numbers of points. */
export const Topology = z.object({
  nodes: z.array(Node),
  links: z.array(
    z.object({
      source: z.string().meta({ examples: ['driver:3'] }),
      target: z.string().meta({ examples: ['device:7312'] }),
      value: Count.describe('Number of points behind the link'),
    }),
  ),
  stats: z.object({
    driverCount: Count,
    deviceCount: Count,
    profileCount: Count,
    pointCount: Count,
    rangeLabel: z.string().meta({ examples: ['24h'] }),
  }),
});
type Topology = z.output<typeof Topology>;

/** `cardinality` is the only mode: the width of a link is the number of points behind it. */
export const TopologyQuery = input({
  mode: z.literal('cardinality').default('cardinality'),
  rangeKey: z.enum(['today', '24h', '7d', '30d']).optional(),
});
type TopologyQuery = z.infer<typeof TopologyQuery>;

const layers = { driver: 0, device: 1, profile: 2 };
const MAX_DRIVERS = 50;
/** Devices drawn for a driver; further ones are listed in its `hiddenChildren`. */
const SHOWN_DEVICES = 20;
const HIDDEN_DEVICES = 100;

type Row = {
  driverId: string;
  driverName: string;
  deviceId: string;
  deviceName: string;
  profileId: string;
  profileName: string;
  points: number;
};

/** For each driver the devices to draw or to list as hidden, those with most points first. */
async function connected(q: Queries, tenantId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with sized as (
      select d.id, d.device_name, d.driver_id, d.profile_id, coalesce(p.points, 0)::int as points,
        row_number() over (partition by d.driver_id order by coalesce(p.points, 0) desc, d.id) as place
      from svc_device d
      left join (select profile_id, count(*) as points from svc_point where tenant_id = ${tenantId}
        group by profile_id) p on p.profile_id = d.profile_id
      where d.tenant_id = ${tenantId})
    select v.id as driver_id, v.driver_name, s.id as device_id, s.device_name,
      p.id as profile_id, p.profile_name, s.points
    from sized s
    join (select id, driver_name from svc_driver where tenant_id = ${tenantId}
      order by id limit ${MAX_DRIVERS}) v on v.id = s.driver_id
    join svc_profile p on p.tenant_id = ${tenantId} and p.id = s.profile_id
    where s.place <= ${SHOWN_DEVICES + HIDDEN_DEVICES}
    order by v.id, s.place`.execute(q);
  return rows;
}

async function stats(q: Queries, tenantId: string): Promise<Omit<Topology['stats'], 'rangeLabel'>> {
  const count = async (table: 'svc_driver' | 'svc_device' | 'svc_profile' | 'svc_point') => {
    const { total } = await q
      .selectFrom(table)
      .select(sql<string>`count(*)`.as('total'))
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    return Number(total);
  };
  const [driverCount, deviceCount, profileCount, pointCount] = await Promise.all([
    count('svc_driver'),
    count('svc_device'),
    count('svc_profile'),
    count('svc_point'),
  ]);
  return { driverCount, deviceCount, profileCount, pointCount };
}

export const topology: Operation<TopologyQuery, Topology> = (app, { tenantId }, { rangeKey }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [rows, counts] = await Promise.all([connected(q, tenantId), stats(q, tenantId)]);
    return { ...drawn(rows), stats: { ...counts, rangeLabel: rangeKey ?? '' } };
  });

/** Node ids include the type, because a driver and a device may have the same id. */
function drawn(rows: readonly Row[]): Pick<Topology, 'nodes' | 'links'> {
  const nodes = new Map<string, Node>();
  const links: Topology['links'] = [];
  const node = (type: Node['type'], id: string, name: string): Node => {
    const key = `${type}:${id}`;
    const known = nodes.get(key);
    if (known) return known;
    const fresh = { id: key, name, type, layer: layers[type], hiddenChildren: [] };
    nodes.set(key, fresh);
    return fresh;
  };
  const shown = new Map<string, number>();
  for (const row of rows) {
    const driver = node('driver', row.driverId, row.driverName);
    const already = shown.get(driver.id) ?? 0;
    if (already >= SHOWN_DEVICES) {
      const { deviceId, deviceName: name } = row;
      driver.hiddenChildren.push({ id: `device:${deviceId}`, name, type: 'device' });
      continue;
    }
    shown.set(driver.id, already + 1);
    const device = node('device', row.deviceId, row.deviceName);
    const profile = node('profile', row.profileId, row.profileName);
    links.push({ source: driver.id, target: device.id, value: row.points });
    links.push({ source: device.id, target: profile.id, value: row.points });
  }
  return { nodes: [...nodes.values()], links };
}
