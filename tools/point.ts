import { z } from 'zod';

import { demand } from '../src/auth/permission/permission.ts';
import { units as unitsThere } from '../src/data/silence/value-search.ts';
import { type Place, places } from '../src/data/value/places.ts';
import { Text } from '../src/kernel/input/text.ts';
import { isGiven } from '../src/manager/find/code.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import { spellingsOf } from '../src/manager/find/unit.ts';
import * as pointSearch from '../src/manager/profile/point-search.ts';
import { defineTool, READS } from './shape/define.ts';
import { pageOf, paging, partOf, visiblePage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Reported, Visible, Unit } from './shape/text.ts';

/** Values belong to the data center and need its permission as well. */
const VALUES = 'svc-center-data:point_value:list';

const Point = z.object({
  pointId: z.string(),
  pointName: Visible(),
  pointCode: Visible().optional(),
  profileId: z.string(),
  profileName: Visible(),
  type: z.string(),
  rw: z.string().describe('READ_ONLY, WRITE_ONLY, READ_WRITE'),
  unit: Unit.optional(),
});

/** A point of a profile, or of a device with its latest value. */
const Listed = Point.partial({ profileId: true, profileName: true }).extend({
  deviceId: z.string().optional(),
  deviceName: Visible().optional(),
  value: Reported(64).nullable().optional(),
  quality: z.string().optional(),
  ageS: z.number().optional(),
});

const show = (row: pointSearch.PointThere) => ({
  pointId: row.id,
  pointName: row.pointName,
  ...(isGiven(row.pointCode) && { pointCode: row.pointCode }),
  profileId: row.profileId,
  profileName: row.profileName,
  type: row.pointTypeFlag,
  rw: row.rwFlag,
  ...(row.unit && { unit: row.unit }),
});

const showPlace = (row: Place) => ({
  deviceId: row.deviceId,
  deviceName: row.deviceName,
  pointId: row.pointId,
  pointName: row.pointName,
  type: row.pointTypeFlag,
  rw: row.rw,
  ...(row.unit && { unit: row.unit }),
  value: row.hasLatestValue ? row.calValue : null,
  ...(row.quality && { quality: row.quality }),
  ...(row.ageS !== null && { ageS: row.ageS }),
});

export const pointTools = [
  defineTool({
    name: 'lookupPointById',
    title: 'Look up a point',
    domain: 'Point',
    listed: 'direct',
    description:
      'Returns one point (data item): type, unit, whether it can be written, and its limits.',
    permission: 'svc-center-manager:point:get',
    scope: 'svc:read',
    input: z.strictObject({ pointId: Ref.describe('Id or name') }),
    output: Point.extend({
      minValue: z.number().optional(),
      maxValue: z.number().optional(),
      enabled: z.boolean(),
      remark: Visible(200).optional(),
    }),
    annotations: READS,
    run: (app, caller, { pointId }) =>
      withNames(app, caller, async (find) => {
        const row = await pointSearch.byId(app, caller, { id: await find.point(pointId) });
        const { minValue, maxValue, remark } = row;
        return {
          ...show(row),
          ...(minValue !== null && { minValue }),
          ...(maxValue !== null && { maxValue }),
          enabled: row.enableFlag === 'ENABLE',
          ...(remark && { remark }),
        };
      }),
  }),
  defineTool({
    name: 'searchPoints',
    title: 'Search points',
    domain: 'Point',
    listed: 'direct',
    description:
      'Finds points by words, which may name their device too ("boiler 2 pressure"), device, profile or unit; on request with values.',
    permission: 'svc-center-manager:point:list',
    scope: 'svc:read',
    input: z.strictObject({
      query: Text(64).optional().describe('Words of name or device'),
      deviceId: Ref.optional().describe('Id or name'),
      profileId: Ref.optional().describe('Id or name'),
      unit: Text(32).min(1).optional().describe('Such as bar'),
      writable: z.boolean().optional().describe('Only these, or only others'),
      withValue: z.boolean().default(false).describe('Each device with its latest value'),
      pointName: partOf('name'),
      ...paging,
    }),
    output: pageOf(Listed).extend({ units: z.array(Unit).optional() }),
    annotations: READS,
    async run(app, caller, { cursor, limit, maxTokens, query, withValue, ...given }) {
      const found = await withNames(app, caller, async (find) => {
        const { deviceId, profileId, pointName, unit, ...filters } = given;
        const ids = await find.ids({ deviceId, profileId });
        const words = query ?? (withValue ? pointName : undefined);
        const meant = words ? await find.points(words, ids.deviceId) : undefined;
        const wanted = { ...filters, ...ids };
        const paged = { cursor, limit, maxTokens };
        if (withValue || (meant && 'pairs' in meant)) {
          demand(caller, VALUES);
          return visiblePage(
            paged,
            Listed,
            (page) => places(app, caller, { ...wanted, unit, ...meant, page }),
            showPlace,
          );
        }
        const units = unit === undefined ? undefined : spellingsOf(unit);
        const text = query && { text: query, meant: meant?.pointIds };
        return visiblePage(
          paged,
          Listed,
          (page) => pointSearch.search(app, caller, { ...wanted, units, ...text, pointName, page }),
          show,
        );
      });
      // Of none, the units that there are, as in searchPointValues.
      const isNone = found.total === 0 && given.unit !== undefined;
      return { ...found, ...(isNone && { units: await unitsThere(app, caller) }) };
    },
  }),
];
