import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { inTenant } from '../../db/tenant.ts';
import { AnswerId } from '../../entity/answer.ts';
import { rowOf } from '../../entity/row.ts';

/** Entry of a selection list: `value` is the id, `label` the displayed name. */
export const Entry = z
  .object({
    type: z.enum(['driver', 'profile', 'device', 'point']),
    label: z.string().meta({ examples: ['Boiler 2'] }),
    value: AnswerId,
    disabled: z.boolean(),
    expand: z.literal(false),
    children: z.array(z.unknown()).max(0).describe('Always empty'),
  })
  .meta({ id: 'DictionaryEntry' });
type Entry = z.output<typeof Entry>;

export const DictionaryQuery = input({
  page: Page,
  label: Text(64).optional(),
  parentId: Id.optional(),
});
type DictionaryQuery = z.infer<typeof DictionaryQuery>;

const kinds = {
  driver: { table: 'svc_driver', name: 'driverName' },
  profile: { table: 'svc_profile', name: 'profileName' },
  device: { table: 'svc_device', name: 'deviceName' },
  point: { table: 'svc_point', name: 'pointName' },
} as const;

type Parent = { column: 'profileId' | 'driverId'; id: string };

/** Entries of one kind, by name; with a parent, only its entries. */
function entries(
  q: Queries,
  tenantId: string,
  { kind, given, parent }: { kind: keyof typeof kinds; given: DictionaryQuery; parent?: Parent },
): Promise<Paged<Entry>> {
  const { table, name } = kinds[kind];
  let query = q
    .selectFrom(table)
    .select(['id', 'enableFlag', `${name} as label`])
    .where('tenantId', '=', tenantId);
  if (given.label) query = query.where(name, 'ilike', contains(given.label));
  if (parent) query = query.where(parent.column, '=', parent.id);
  return pageOf(query.orderBy(name).orderBy('id'), given.page, (row) => ({
    type: kind,
    label: row.label,
    value: row.id,
    disabled: row.enableFlag !== 0,
    expand: false,
    children: [],
  }));
}

const of =
  (
    kind: keyof typeof kinds,
    parentOf?: (q: Queries, tenantId: string, parentId: string) => Promise<Parent>,
  ): Operation<DictionaryQuery, Paged<Entry>> =>
  (app, { tenantId }, given) =>
    inTenant(app.db, tenantId, async (q) => {
      if (!parentOf || !given.parentId) return entries(q, tenantId, { kind, given });
      const parent = await parentOf(q, tenantId, given.parentId);
      return entries(q, tenantId, { kind, given, parent });
    });

export const drivers = of('driver');
export const profiles = of('profile');
export const devices = of('device');
/** Points of the profile `parentId`; all points without it. */
export const profilePoints = of('point', async (q, tenantId, id) => {
  await rowOf(q, 'svc_profile', tenantId, id);
  return { column: 'profileId', id };
});
/** Points of the profile of the device `parentId`; all points without it. */
export const devicePoints = of('point', async (q, tenantId, id) => {
  const { profileId } = await rowOf(q, 'svc_device', tenantId, id);
  return { column: 'profileId', id: profileId };
});
/** Devices of the driver `parentId`; all devices without it. */
export const driverDevices = of('device', async (q, tenantId, id) => {
  await rowOf(q, 'svc_driver', tenantId, id);
  return { column: 'driverId', id };
});
