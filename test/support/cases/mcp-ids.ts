import { z } from 'zod';

import { onboardVirtual, report, type Site } from '../../tools/agent.ts';
import { reportFault } from '../devices/fault.ts';
import { addTo } from '../devices/notify.ts';
import { lwm2mDevice } from '../lwm2m/device.ts';
import { registersFirmware } from '../lwm2m/registers-firmware.ts';
import { firmwarePackage } from '../lwm2m/upload-firmware.ts';
import { waitingEndpoint } from '../lwm2m/waiting.ts';
import type { McpClient } from '../people/mcp.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';

/** An id of every kind a tool or a resource takes, by the name of the argument. */
export type Ids = Record<string, string[]>;

/** One of everything that has an id, in the tenant of `session`. */
export async function everythingIn(
  world: World,
  session: Session,
  agent: McpClient,
  name: string,
): Promise<Ids> {
  const site = await onboardVirtual(world, name, session);
  const { deviceId, pointId, profileId, driverId } = site;
  const other = await onboardVirtual(world, `${name} other`, session);
  const add = (noun: string, body: object) =>
    session.data(`/api/v3/manager/${noun}/add`, { ...body, profileId }).then(String);
  const commandId = await add('command', { commandName: `${name} command` });
  const eventId = await add('event', { eventName: `${name} event` });
  const recordId = String(
    await session.data('/api/v3/data/event_history/report', { deviceId, eventId }),
  );
  const pair = { deviceId, pointId };
  const bound = { entityTypeFlag: 'DEVICE', entityId: deviceId };
  const groupId = await add('group', { groupName: `${name} group`, groupTypeFlag: 'DEVICE' });
  await add('group_bind', { ...bound, groupId });
  const labelId = await add('label', { labelName: `${name} label`, entityTypeFlag: 'DEVICE' });
  await add('label_bind', { ...bound, labelId });
  const image = { package_name: `${name} firmware`, package_version: '2.0.0' };
  const { id: packageId } = await firmwarePackage(session, new Uint8Array([1]), image);
  await registersFirmware(world.app, session.tenantId, deviceId);
  const rollout = { packageId, deviceIds: [other.deviceId] };
  const { id: rolloutId } = Made.parse(
    await session.data('/api/v3/manager/firmware/rollout/start', rollout),
  );
  const { ruleId, fired } = await ruleOf(world, session, site, name);
  const read = Issued.parse((await agent.call('readPointValue', pair)).structuredContent);
  const proposal = await agent.call('writePointValue', { ...pair, value: 21 });
  const { actionId } = Proposed.parse(proposal.structuredContent);
  return {
    deviceId: [deviceId],
    pointId: [pointId],
    otherDeviceId: [other.deviceId],
    otherPointId: [other.pointId],
    profileId: [profileId],
    driverId: [driverId],
    commandId: [commandId, read.commandId],
    eventId: [eventId, recordId],
    actionId: [actionId],
    groupId: [groupId],
    labelId: [labelId],
    packageId: [packageId],
    rolloutId: [rolloutId],
    ...(await waitingIn(world, session)),
    ruleId: [ruleId],
    notifyId: [await addTo(session, 'notify', { notifyName: `${name} policy` })],
    alarmId: [fired, await alarmOf(world, session, deviceId, name)],
  };
}

/** An endpoint that proved no key, and a device that it can be given to. */
async function waitingIn(world: World, session: Session) {
  const { deviceId } = await lwm2mDevice(session, {});
  const id = await waitingEndpoint(world, world.admin);
  const given = { id, tenantId: session.tenantId };
  await world.admin.data('/api/v3/manager/device/waiting/assign', given);
  return { waitingId: [id], onboardedId: [deviceId] };
}

/** A rule on the point, and the alarm that a value of it raised. */
async function ruleOf(world: World, session: Session, site: Site, name: string) {
  const ruleId = await addTo(session, 'rule', {
    ruleName: `${name} rule`,
    alarmTargetTypeFlag: 'POINT',
    entityId: site.pointId,
    ruleExt: { content: { condition: { field: 'value', operator: '>', threshold: 20 } } },
  });
  world.clock.shift(1_000);
  await report(world, session, site, [21]);
  return { ruleId, fired: await newestAlarm(session) };
}

async function alarmOf(
  world: World,
  session: Session,
  deviceId: string,
  name: string,
): Promise<string> {
  await reportFault(world, session, deviceId, `${name} fault`);
  return newestAlarm(session);
}

async function newestAlarm(session: Session): Promise<string> {
  const { records } = Alarms.parse(await session.data('/api/v3/data/dashboard/alert/page', {}));
  return records[0]?.id ?? '';
}

const Alarms = z.object({ records: z.array(z.object({ id: z.string() })) });

const Made = z.object({ id: z.string() });
const Issued = z.object({ commandId: z.string() });
const Proposed = z.object({ actionId: z.string() });
