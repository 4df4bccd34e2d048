import { z } from 'zod';

import { Id } from '../src/core/input/id.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import * as point from '../src/manager/profile/point.ts';
import { defineTool, READS } from './define.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Shown } from './shape/text.ts';

const Point = z.object({
  pointId: z.string(),
  pointName: Shown(),
  pointCode: Shown(),
  profileId: z.string(),
  type: z.string(),
  rw: z.string().describe('READ_ONLY, WRITE_ONLY, READ_WRITE'),
  unit: Shown(32),
});

const show = (row: point.Point) => ({
  pointId: row.id,
  pointName: row.pointName,
  pointCode: row.pointCode,
  profileId: row.profileId,
  type: row.pointTypeFlag,
  rw: row.rwFlag,
  unit: row.unit,
});

export const pointTools = [
  defineTool({
    name: 'lookupPointById',
    title: 'Look up a point',
    domain: 'Point',
    description:
      'Returns one point (data item): type, unit, whether it can be written, and its limits.',
    permission: 'svc-center-manager:point:get',
    scope: 'svc:read',
    input: z.strictObject({ pointId: Ref.describe('Id or name') }),
    output: Point.extend({
      minValue: z.number().nullable(),
      maxValue: z.number().nullable(),
      enabled: z.boolean(),
      remark: Shown(200),
    }),
    annotations: READS,
    async run(app, caller, { pointId }) {
      const row = await withNames(app, caller, async (find) =>
        point.byId(app, caller, { id: await find.point(pointId) }),
      );
      return {
        ...show(row),
        minValue: row.minValue,
        maxValue: row.maxValue,
        enabled: row.enableFlag === 'ENABLE',
        remark: row.remark,
      };
    },
  }),
  defineTool({
    name: 'searchPoints',
    title: 'Search points',
    domain: 'Point',
    description:
      'Finds points by part of the name, by profile, or those of one device, newest first.',
    permission: 'svc-center-manager:point:list',
    scope: 'svc:read',
    input: z.strictObject({
      pointName: partOf('name'),
      profileId: Id.optional().describe('Only of this profile'),
      deviceId: Id.optional().describe('Only what this device has'),
      ...paging,
    }),
    output: pageOf(Point),
    annotations: READS,
    async run(app, caller, { cursor, limit, ...filters }) {
      const page = pageRequest({ cursor, limit });
      return shownPage(await point.page(app, caller, { ...filters, page }), show);
    },
  }),
];
