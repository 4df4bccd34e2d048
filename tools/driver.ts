import { z } from 'zod';

import { isGiven } from '../src/manager/find/code.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import * as deviceStatus from '../src/manager/presence/status.ts';
import { defineTool, READS } from './shape/define.ts';
import { pageOf, paging, partOf, visiblePage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Visible } from './shape/text.ts';

const Driver = z.object({
  driverId: z.string(),
  driverName: Visible(),
  driverCode: Visible().optional(),
  status: z.string().describe('online, offline, unknown'),
});

const show = (row: deviceStatus.DriverNow) => ({
  driverId: row.id,
  driverName: row.driverName,
  ...(isGiven(row.driverCode) && { driverCode: row.driverCode }),
  status: row.status,
});

export const driverTools = [
  defineTool({
    name: 'lookupDriverById',
    title: 'Look up a driver',
    domain: 'Driver',
    listed: 'direct',
    description:
      'Returns one driver: the protocol adapter its devices are reached through, and whether it is online.',
    permission: 'svc-center-manager:driver:get',
    scope: 'svc:read',
    input: z.strictObject({ driverId: Ref.describe('Id or name') }),
    output: Driver.extend({ enabled: z.boolean(), remark: Visible(200).optional() }),
    annotations: READS,
    async run(app, caller, { driverId }) {
      const row = await withNames(app, caller, async (find) =>
        deviceStatus.driverById(app, caller, { id: await find.one('driver', driverId) }),
      );
      return {
        ...show(row),
        enabled: row.enableFlag === 'ENABLE',
        ...(row.remark && { remark: row.remark }),
      };
    },
  }),
  defineTool({
    name: 'searchDrivers',
    title: 'Search drivers',
    domain: 'Driver',
    listed: 'direct',
    description: 'Finds drivers by part of the name, newest first. Without filters it lists all.',
    permission: 'svc-center-manager:driver:list',
    scope: 'svc:read',
    input: z.strictObject({
      driverName: partOf('name'),
      ...paging,
    }),
    output: pageOf(Driver),
    annotations: READS,
    run: (app, caller, { cursor, limit, maxTokens, ...filters }) =>
      visiblePage(
        { cursor, limit, maxTokens },
        Driver,
        (page) => deviceStatus.driverPage(app, caller, { ...filters, page }),
        show,
      ),
  }),
];
