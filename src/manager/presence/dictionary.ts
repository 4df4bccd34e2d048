import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { profileOf } from '../profile/profile.ts';

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

/** What `parentId` names, and the column of an entry that leads to it. */
type Parent = {
  table: 'svc_profile' | 'svc_device' | 'svc_driver';
  column: 'profileId' | 'driverId';
};
/** The entries to list: a value of a column, or a query for it. */
type Within = { column: Parent['column']; id: string | ReturnType<typeof profileOf> };

/** Entries of one kind, by name. */
function entries(
  q: Queries,
  tenantId: string,
  { kind, given, within }: { kind: keyof typeof kinds; given: DictionaryQuery; within?: Within },
): Promise<Paged<Entry>> {
  const { table, name } = kinds[kind];
  let query = q
    .selectFrom(table)
    .select(['id', 'enableFlag', `${name} as label`])
    .where('tenantId', '=', tenantId);
  if (given.label) query = query.where(name, 'ilike', contains(given.label));
  if (within) query = query.where(within.column, '=', within.id);
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
  (kind: keyof typeof kinds, parent?: Parent): Operation<DictionaryQuery, Paged<Entry>> =>
  (app, { tenantId }, given) =>
    inOneTrip(app.db, tenantId, async (q) => {
      const { parentId } = given;
      if (!parent || !parentId) return entries(q, tenantId, { kind, given });
      const { table, column } = parent;
      // A device has the points of its profile.
      const id = table === 'svc_device' ? profileOf(q, tenantId, parentId) : parentId;
      const [, found] = await Promise.all([
        rowOf(q, table, tenantId, parentId),
        entries(q, tenantId, { kind, given, within: { column, id } }),
      ]);
      return found;
    });

export const drivers = of('driver');
export const profiles = of('profile');
export const devices = of('device');
/** Points of the profile `parentId`; all points without it. */
export const profilePoints = of('point', { table: 'svc_profile', column: 'profileId' });
/** Points of the profile of the device `parentId`; all points without it. */
export const devicePoints = of('point', { table: 'svc_device', column: 'profileId' });
/** Devices of the driver `parentId`; all devices without it. */
export const driverDevices = of('device', { table: 'svc_driver', column: 'driverId' });
