import { z } from 'zod';

import { allows } from '../src/auth/permission/permission.ts';
import type { Caller } from '../src/kernel/app/app.ts';
import { Text } from '../src/kernel/input/text.ts';
import { inZone } from '../src/kernel/sentence/time-zone.ts';
import { quoted } from '../src/kernel/sentence/voice.ts';
import { Situation } from '../src/manager/device/situation.ts';
import { isGiven } from '../src/manager/find/code.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import * as deviceNow from '../src/manager/presence/device-now.ts';
import * as waiting from '../src/manager/registration/waiting.ts';
import { defineTool, READS } from './shape/define.ts';
import { pageOf, paging, partOf, visiblePage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Phrase, Reported, Visible } from './shape/text.ts';

const GROUPS = 'svc-center-manager:group:list';

/** Driver and profile by name, which every tool takes. */
const Device = z.object({
  deviceId: z.string(),
  deviceName: Visible(),
  deviceCode: Visible().optional(),
  driverName: Visible(),
  profileName: Visible(),
  status: z.string().describe('online, offline, unknown'),
  statusReason: Phrase(140).optional(),
  offlineSince: z.string().optional(),
});

function show(
  { presence, ...row }: deviceNow.DeviceNow,
  { timezone }: Caller,
): z.input<typeof Device> {
  const { status, statusReason: why, description, offlineSince } = presence;
  // Words of its driver, and partly of the device.
  const statusReason = why !== '' && why === description ? quoted(why, 120) : why;
  return {
    deviceId: row.id,
    deviceName: row.deviceName,
    ...(isGiven(row.deviceCode) && { deviceCode: row.deviceCode }),
    driverName: row.driverName,
    profileName: row.profileName,
    status,
    ...(statusReason && { statusReason }),
    ...(offlineSince && { offlineSince: inZone(offlineSince, timezone) }),
  };
}

const Waiting = z.object({
  waitingId: z.string(),
  /** A name that it gave itself. */
  endpoint: Reported(255),
  driverCode: Visible(),
  /** The device whose key it proved; without one an administrator of the platform gave it to this tenant. */
  deviceId: z.string().optional(),
  deviceName: Visible().optional(),
  since: z.string(),
  last: z.string(),
  attempts: z.int(),
});

const waits = (row: waiting.Waiting, { timezone }: Caller): z.input<typeof Waiting> => ({
  waitingId: row.id,
  endpoint: row.endpoint,
  driverCode: row.driverCode,
  ...(row.deviceId !== null && { deviceId: row.deviceId }),
  ...(row.deviceName !== null && { deviceName: row.deviceName }),
  since: inZone(row.sinceTime, timezone),
  last: inZone(row.lastTime, timezone),
  attempts: row.attempts,
});

export const deviceTools = [
  defineTool({
    name: 'lookupDeviceById',
    title: 'Look up a device',
    domain: 'Device',
    listed: 'direct',
    description: 'Returns one device: driver, profile, and whether it is online or since when not.',
    permission: 'svc-center-manager:device:get',
    scope: 'svc:read',
    input: z.strictObject({ deviceId: Ref.describe('Id or name') }),
    output: Device.extend({
      driverId: z.string(),
      profileId: z.string(),
      neverConnected: z.boolean(),
      enabled: z.boolean(),
      remark: Visible(200).optional(),
    }),
    annotations: READS,
    run: (app, caller, { deviceId }) =>
      withNames(app, caller, async (find) => {
        const id = await find.one('device', deviceId);
        const row = await deviceNow.byId(app, caller, { id });
        return {
          ...show(row, caller),
          driverId: row.driverId,
          profileId: row.profileId,
          neverConnected: row.presence.neverConnected,
          enabled: row.enableFlag === 'ENABLE',
          ...(row.remark && { remark: row.remark }),
        };
      }),
  }),
  defineTool({
    name: 'searchDevices',
    title: 'Search devices',
    domain: 'Device',
    listed: 'direct',
    description:
      'Finds devices by words and status, with why and since when offline. Without filters: all.',
    permission: 'svc-center-manager:device:list',
    scope: 'svc:read',
    input: z.strictObject({
      query: Text(64).optional().describe('Words of name, code or remark'),
      status: Situation.optional().describe('Only these'),
      driverId: Ref.optional().describe('Id or name'),
      profileId: Ref.optional().describe('Id or name'),
      groupId: Ref.optional().describe('Id or name'),
      labelId: Ref.optional().describe('Id or name'),
      deviceName: partOf('name'),
      deviceCode: partOf('code'),
      ...paging,
    }),
    output: pageOf(Device).extend({
      ofGroup: Visible().optional(),
      /** Where the words find nothing: the groups that there are. */
      groups: z.array(Visible()).optional(),
    }),
    annotations: READS,
    run: (
      app,
      caller,
      { cursor, limit, maxTokens, query, status, deviceName, deviceCode, ...refs },
    ) =>
      withNames(app, caller, async (find) => {
        const filters = { ...(await find.ids(refs)), deviceName, deviceCode, situation: status };
        const words = query && { text: query, meant: await find.devices(query) };
        const found = (narrow: object) =>
          visiblePage(
            { cursor, limit, maxTokens },
            Device,
            (page) => deviceNow.page(app, caller, { ...filters, ...narrow, page }),
            (row) => show(row, caller),
          );
        const page = await found(words || {});
        if (page.total > 0 || !query || refs.groupId !== undefined) return page;
        // Words of no device may be the name of a group.
        const group = await find.group(query);
        if (group === null) {
          const groups = allows(caller, GROUPS) ? await find.groups() : [];
          return { ...page, ...(groups.length > 0 && { groups: groups.map(({ name }) => name) }) };
        }
        return { ...(await found({ groupId: group.id })), ofGroup: group.name };
      }),
  }),
  defineTool({
    name: 'searchWaitingDevices',
    title: 'Search waiting devices',
    domain: 'Device',
    listed: 'found',
    description:
      'Lists what registers at a driver and is refused because no device has its name: the device whose key it proved, or that it was given to this tenant. proposeOnboarding asks a human for it; `onboardAt` is where one does it.',
    permission: 'svc-center-manager:device:list',
    scope: 'svc:read',
    input: z.strictObject({
      endpoint: Text(255).optional().describe('Part of its name'),
      ...paging,
    }),
    output: pageOf(Waiting).extend({ onboardAt: z.string() }),
    annotations: READS,
    async run(app, caller, { cursor, limit, maxTokens, endpoint }) {
      const found = await visiblePage(
        { cursor, limit, maxTokens },
        Waiting,
        (page) => waiting.ownPage(app, caller, { page, endpoint }),
        (row) => waits(row, caller),
      );
      return { ...found, onboardAt: `${app.config.baseUrl}/console/devices/waiting` };
    },
  }),
];
