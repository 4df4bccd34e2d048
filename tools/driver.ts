import { z } from 'zod';

import { Id } from '../src/core/input/id.ts';
import * as deviceStatus from '../src/manager/device/status.ts';
import * as driver from '../src/manager/driver/driver.ts';
import { defineTool, READS } from './define.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './shape/page.ts';
import { Shown } from './shape/text.ts';

const Driver = z.object({
  driverId: z.string(),
  driverName: Shown(),
  driverCode: Shown(),
  status: z.string().describe('online, offline, unknown'),
});

const show = (row: driver.Driver, statuses: ReadonlyMap<string, string>) => ({
  driverId: row.id,
  driverName: row.driverName,
  driverCode: row.driverCode,
  status: statuses.get(row.id) ?? 'unknown',
});

export const driverTools = [
  defineTool({
    name: 'lookupDriverById',
    title: 'Look up a driver',
    domain: 'Driver',
    description:
      'Returns one driver: the protocol adapter its devices are reached through, and whether it is online.',
    permission: 'svc-center-manager:driver:get',
    scope: 'svc:read',
    input: z.strictObject({ driverId: Id.describe('Driver id') }),
    output: Driver.extend({ enabled: z.boolean(), remark: Shown(200) }),
    annotations: READS,
    async run(app, caller, { driverId }) {
      const row = await driver.byId(app, caller, { id: driverId });
      const statuses = await deviceStatus.ofDrivers(app, caller, { driverIds: [row.id] });
      return { ...show(row, statuses), enabled: row.enableFlag === 'ENABLE', remark: row.remark };
    },
  }),
  defineTool({
    name: 'searchDrivers',
    title: 'Search drivers',
    domain: 'Driver',
    description: 'Finds drivers by part of the name, newest first. Without filters it lists all.',
    permission: 'svc-center-manager:driver:list',
    scope: 'svc:read',
    input: z.strictObject({
      driverName: partOf('name'),
      ...paging,
    }),
    output: pageOf(Driver),
    annotations: READS,
    async run(app, caller, { cursor, limit, ...filters }) {
      const page = await driver.page(app, caller, {
        ...filters,
        page: pageRequest({ cursor, limit }),
      });
      const driverIds = page.records.map(({ id }) => id);
      const statuses = await deviceStatus.ofDrivers(app, caller, { driverIds });
      return shownPage(page, (row) => show(row, statuses));
    },
  }),
];
