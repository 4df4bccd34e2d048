import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { seedBench } from '../../src/cli/demo/onboard.ts';
import { tools } from '../../tools/index.ts';
import { type DeviceProcess, spawnDevice } from '../support/devices/simulator.ts';
import { registersFirmware } from '../support/lwm2m/registers-firmware.ts';
import { firmwarePackage } from '../support/lwm2m/upload-firmware.ts';
import { reportWaiting } from '../support/lwm2m/waiting.ts';
import { executedIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Found = z.object({ records: z.array(z.record(z.string(), z.unknown())) });

const ruleName = 'not frozen';
let device: DeviceProcess;
let mcp: McpClient;
/** Arguments by tool, filled from what the searches found. */
const given: Record<string, Record<string, unknown>> = {};

const called = async (name: string): Promise<Record<string, unknown>> => {
  const { structuredContent, isError, content } = await mcp.call(name, given[name] ?? {});
  expect(isError ?? false, JSON.stringify(content)).toBe(false);
  return z.record(z.string(), z.unknown()).parse(structuredContent);
};
const first = async (
  name: string,
  field: string,
  args: Record<string, unknown> = {},
): Promise<string> => {
  given[name] = args;
  const { records } = Found.parse(await called(name));
  return z.string().parse(records[0]?.[field]);
};

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
beforeAll(async () => {
  await seedBench(world.app);
  device = spawnDevice({ endpoint: 'dev-1', port: world.lwm2mPort });
  await device.next('registered');
  const [connect] = Object.values(clients);
  if (!connect) throw new Error('no MCP client');
  mcp = await connect(
    world.base,
    await bearerFor(world.admin, { scope: 'svc:read svc:read-device svc:propose' }),
  );
  const deviceId = await first('searchDevices', 'deviceId', { deviceName: 'dev-1' });
  given['lookupDeviceById'] = { deviceId };
  const key = { tenantId: world.admin.tenantId, deviceId };
  await reportWaiting(world, { endpoint: 'urn:renamed', key });
  given['proposeOnboarding'] = { waitingId: await first('searchWaitingDevices', 'waitingId') };
  given['lookupDriverById'] = { driverId: await first('searchDrivers', 'driverId') };
  given['lookupProfileById'] = { profileId: await first('searchProfiles', 'profileId') };
  const pointId = await first('searchPoints', 'pointId', { deviceId, pointName: 'temperature' });
  const setPoint = await first('searchPoints', 'pointId', { deviceId, pointName: 'set-point' });
  given['lookupPointById'] = { pointId };
  for (const name of ['readPointValue', 'getLatestPointValue', 'getPointValueHistory'])
    given[name] = { deviceId, pointId };
  given['writePointValue'] = { deviceId, pointId: setPoint, value: 21 };
  given['proposeWrites'] = {
    writes: [
      { deviceId, pointId: setPoint, value: 22 },
      { pointId: 'virtual-1 target', value: 20 },
    ],
  };
  await registersFirmware(world.app, world.admin.tenantId, deviceId);
  const image = { package_name: 'dev', package_version: '2.0.0' };
  await firmwarePackage(world.admin, new Uint8Array([1]), image);
  given['proposeFirmware'] = { packageId: 'dev 2.0.0', deviceIds: ['dev-1'] };
  given['runTool'] = { name: 'searchActions' };
  given['proposeTool'] = {
    name: 'proposeFirmware',
    arguments: JSON.stringify(given['proposeFirmware']),
  };
  given['lookupActionById'] = { actionId: (await called('writePointValue'))['actionId'] };
  given['withdrawAction'] = given['lookupActionById'];
  await world.admin.data('/api/v3/data/rule/add', {
    ruleName,
    alarmTargetTypeFlag: 'POINT',
    entityId: pointId,
    ruleExt: { content: { condition: { field: 'value', operator: '>', threshold: -50 } } },
  });
  await eventually(
    () => called('readPointValue'),
    ({ status }) => status === 'SUCCESS',
  );
  given['lookupCommandById'] = { commandId: await first('searchCommands', 'commandId') };
  given['searchAlarms'] = { query: ruleName };
  await eventually(
    async () => Found.parse(await called('searchAlarms')),
    ({ records }) => records.length > 0,
  );
  const alarmId = await first('searchAlarms', 'alarmId', { query: ruleName });
  given['lookupAlarmById'] = { alarmId };
  given['proposeSilence'] = { alarmId, hours: 1 };
  given['proposeConfirmation'] = { alarmIds: [alarmId] };
  given['proposeMaintenance'] = {
    maintenanceName: 'belt',
    deviceIds: ['dev-1'],
    end: new Date(world.app.clock.now() + 3_600_000).toISOString(),
  };
  const target = { deviceId, pointId: setPoint };
  // The first makes known what the point holds.
  await executedIn(world, world.admin, target, '18');
  given['proposeUndo'] = { actionId: await executedIn(world, world.admin, target, '19') };
  given['proposeRule'] = { pointId, ruleName: 'too warm', operator: '>', threshold: 90 };
  const ruleId = await first('searchRules', 'ruleId');
  given['lookupRuleById'] = { ruleId };
  given['previewRule'] = { ruleId };
  given['proposeRuleChange'] = { ruleId, threshold: 1 };
  given['drillNotification'] = { ruleId, at: new Date(world.app.clock.now()).toISOString() };
  given['lookupEventById'] = { eventId: await first('searchEvents', 'eventId') };
});
afterAll(async () => {
  await mcp.close();
  await device.stop();
});

it.each(tools)('$name answers something on the demo tenant', async ({ name }) => {
  const answer = await called(name);
  const facts = Object.values(answer).filter((value) => value !== null && value !== '');
  expect(facts.length).toBeGreaterThan(0);
  if ('records' in answer) expect(Found.parse(answer).records.length).toBeGreaterThan(0);
  if (name === 'getLatestPointValue') expect(answer).toMatchObject({ unit: '°C', quality: 'GOOD' });
  if (name === 'getPointValueHistory') expect(Number(answer['count'])).toBeGreaterThan(0);
});
