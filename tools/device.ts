import { z } from 'zod';

import { Id } from '../src/core/input/id.ts';
import * as devicePresence from '../src/manager/device/presence.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import { defineTool, READS } from './define.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Shown } from './shape/text.ts';

const Device = z.object({
  deviceId: z.string(),
  deviceName: Shown(),
  deviceCode: Shown(),
  driverId: z.string(),
  profileId: z.string(),
  status: z.string().describe('online, offline, unknown'),
  statusReason: Shown(),
  offlineSince: z.string().nullable(),
});

const show = ({ presence, ...row }: devicePresence.DeviceNow) => ({
  deviceId: row.id,
  deviceName: row.deviceName,
  deviceCode: row.deviceCode,
  driverId: row.driverId,
  profileId: row.profileId,
  status: presence.status,
  statusReason: presence.statusReason,
  offlineSince: presence.offlineSince,
});

export const deviceTools = [
  defineTool({
    name: 'lookupDeviceById',
    title: 'Look up a device',
    domain: 'Device',
    description:
      'Returns one device: names, driver, profile, and whether it is online or since when not.',
    permission: 'svc-center-manager:device:get',
    scope: 'svc:read',
    input: z.strictObject({ deviceId: Ref.describe('Id or name') }),
    output: Device.extend({
      neverConnected: z.boolean(),
      enabled: z.boolean(),
      remark: Shown(200),
    }),
    annotations: READS,
    async run(app, caller, { deviceId }) {
      const row = await withNames(app, caller, async (find) =>
        devicePresence.byId(app, caller, { id: await find.one('device', deviceId) }),
      );
      return {
        ...show(row),
        neverConnected: row.presence.neverConnected,
        enabled: row.enableFlag === 'ENABLE',
        remark: row.remark,
      };
    },
  }),
  defineTool({
    name: 'searchDevices',
    title: 'Search devices',
    domain: 'Device',
    description:
      'Finds devices by part of the name or code, driver or profile, newest first. Without filters it lists all.',
    permission: 'svc-center-manager:device:list',
    scope: 'svc:read',
    input: z.strictObject({
      deviceName: partOf('name'),
      deviceCode: partOf('code'),
      driverId: Id.optional().describe('Only of this driver'),
      profileId: Id.optional().describe('Only of this profile'),
      ...paging,
    }),
    output: pageOf(Device),
    annotations: READS,
    async run(app, caller, { cursor, limit, ...filters }) {
      const page = pageRequest({ cursor, limit });
      return shownPage(await devicePresence.page(app, caller, { ...filters, page }), show);
    },
  }),
];
