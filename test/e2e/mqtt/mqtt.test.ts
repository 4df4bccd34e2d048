import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { add, pointAttributes } from '../../support/devices/plant.ts';
import { type Field, mosquittoPub, startField } from '../../support/mqtt/field.ts';
import { type Mosquitto, startMosquitto } from '../../support/mqtt/mosquitto.ts';
import { Attributes, Records } from '../../support/people/shapes.ts';
import { startWorld, type World } from '../../support/world/app.ts';
import { eventually } from '../../support/world/eventually.ts';
import { fresh } from '../../support/world/fresh-name.ts';

const MANAGER = '/api/v3/manager';
const DATA = '/api/v3/data';
const Receipt = z.looseObject({
  status: z.string(),
  verification: z.string(),
  readBackValue: z.string().nullable(),
});
const Values = z.array(z.looseObject({ calValue: z.string() }));

let broker: Mosquitto;
let field: Field;
let world: World | undefined;
beforeAll(async () => {
  broker = await startMosquitto();
  field = await startField(broker.url, { name: 'press-7' });
  const environment = {
    SVC_DRIVERS: 'mqtt',
    SVC_EGRESS_ALLOW: `mqtt:127.0.0.1:${broker.port}`,
  };
  world = await startWorld({ environment });
}, 240_000);
afterAll(async () => {
  await world?.stop();
  await field.stop();
  await broker.stop();
});

it('a device behind a broker: values once each, and a write that its report verifies', async () => {
  if (!world) throw new Error('the platform has not started');
  const { admin } = world;
  const list = () => admin.data(`${MANAGER}/driver/list`, { driverCode: 'MqttDriver' });
  const found = await eventually(list, (page) => Records.parse(page).records.length > 0);
  const driverId = Records.parse(found).records[0]?.id ?? '';
  const profileId = await add(admin, 'profile', { profileName: fresh('press') });
  const point = { pointTypeFlag: 'DOUBLE', profileId };
  const temperature = await add(admin, 'point', { ...point, pointName: 'temperature' });
  const setPoint = await add(admin, 'point', {
    ...point,
    pointName: 'setPoint',
    rwFlag: 'READ_WRITE',
  });
  const deviceId = await add(admin, 'device', { deviceName: 'press-7', driverId, profileId });
  const ofPoint = await pointAttributes(admin, driverId);
  const settings: [string, string, string][] = [
    [temperature, 'valuePath', '$.v'],
    [temperature, 'timePath', '$.ts'],
    [setPoint, 'writeTopic', '${device}/set'],
  ];
  for (const [pointId, code, configValue] of settings)
    await add(admin, 'point_attribute_config', {
      deviceId,
      pointId,
      attributeId: ofPoint.get(code),
      configValue,
    });
  const rows = await admin.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
    driver_id: driverId,
  });
  const ofDevice = new Map(Attributes.parse(rows).map((row) => [row.attributeCode, row.id]));
  for (const [code, configValue] of [
    ['url', broker.url],
    ['statusTopic', '${device}/status'],
  ] as const)
    await add(admin, 'driver_attribute_config', {
      deviceId,
      attributeId: ofDevice.get(code),
      configValue,
    });
  const status = () =>
    admin.data(`${DATA}/device/status/get_by_device_id`, undefined, { device_id: deviceId });
  await eventually(status, (answer) => JSON.stringify(answer).includes('"online"'));

  const ts = Date.now() - 5_000;
  // Twice the same, then an older one: as brokers and devices repeat and delay what they send.
  for (const message of [
    { v: 21.5, ts },
    { v: 21.5, ts },
    { v: 20, ts: ts - 1_000 },
  ])
    await mosquittoPub(
      broker.port,
      '-q',
      '1',
      '-t',
      'press-7/temperature',
      '-m',
      JSON.stringify(message),
    );
  const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
  const of = { device_id: deviceId, point_id: temperature };
  const history = async () =>
    Values.parse(await admin.data(path, undefined, of)).map(({ calValue }) => calValue);
  await eventually(history, (values) => values.includes('20'));
  expect(await history()).toEqual(['21.5', '20']);
  const latest = await admin.data(`${DATA}/point_value/latest`, { deviceId, pointId: temperature });
  expect(JSON.stringify(latest)).toContain('"calValue":"21.5"');

  const command = await admin.data(`${DATA}/point_command/write`, {
    deviceId,
    pointId: setPoint,
    value: '24.5',
  });
  const receipt = await eventually(
    async () =>
      Receipt.parse(
        await admin.data(`${DATA}/point_command_history/get_by_command_id`, undefined, {
          command_id: String(command),
        }),
      ),
    ({ status: now }) => !['PENDING', 'SENT'].includes(now),
  );
  expect(receipt).toMatchObject({
    status: 'SUCCESS',
    verification: 'VERIFIED',
    readBackValue: '24.5',
  });
  expect(field.writes()).toBe(1);
});

it('a device behind a broker: a command that it answers, and an event that fires a rule', async () => {
  if (!world) throw new Error('the platform has not started');
  const { admin } = world;
  const { client } = field;
  const list = () => admin.data(`${MANAGER}/driver/list`, { driverCode: 'MqttDriver' });
  const found = await eventually(list, (page) => Records.parse(page).records.length > 0);
  const driverId = Records.parse(found).records[0]?.id ?? '';
  const profileId = await add(admin, 'profile', { profileName: fresh('press') });
  const commandId = await add(admin, 'command', {
    commandName: 'purge',
    commandCode: 'purge',
    timeout: 10,
    profileId,
  });
  const param = { commandId, paramName: 'seconds', paramCode: 'seconds' };
  await add(admin, 'command_param', { ...param, paramTypeFlag: 'INT' });
  const eventId = await add(admin, 'event', {
    eventName: 'leak',
    eventCode: 'leak',
    eventTypeFlag: 'ALERT',
    eventLevelFlag: 'HIGH',
    profileId,
  });
  const deviceId = await add(admin, 'device', { deviceName: 'press-8', driverId, profileId });
  const set = async (kind: string, code: string, configValue: string, of: object = {}) => {
    const rows = await admin.data(`${MANAGER}/${kind}_attribute/list_by_driver_id`, undefined, {
      driver_id: driverId,
    });
    const attributeId = Attributes.parse(rows).find((row) => row.attributeCode === code)?.id;
    await add(admin, `${kind}_attribute_config`, { deviceId, attributeId, configValue, ...of });
  };
  const rule = await admin.data(`${DATA}/rule/add`, {
    ruleName: fresh('leak'),
    alarmTargetTypeFlag: 'EVENT',
    entityId: deviceId,
    ruleExt: {
      content: { condition: { field: 'eventCode', operator: 'eq', expected: 'leak' } },
    },
  });
  await set('event', 'topic', '${device}/events', { eventId });
  await set('driver', 'url', broker.url);
  const status = () =>
    admin.data(`${DATA}/device/status/get_by_device_id`, undefined, { device_id: deviceId });
  await client.subscribeAsync('press-8/purge', { qos: 1 });
  client.on('message', (topic, payload, { properties }) => {
    const { responseTopic, correlationData: data } = properties ?? {};
    if (topic !== 'press-8/purge' || responseTopic === undefined) return;
    void client.publishAsync(responseTopic, `{"left":7,"got":${payload.toString()}}`, {
      qos: 1,
      properties: { ...(data && { correlationData: data }) },
    });
  });
  // The platform may not listen yet.
  await eventually(
    async () => {
      await field.send('press-8/events', '{"litres":3,"id":"first"}');
      return status();
    },
    (answer) => JSON.stringify(answer).includes('"online"'),
  );
  const happened = () => admin.data(`${DATA}/event_history/list`, { deviceId });
  const page = await eventually(happened, (answer) => Records.parse(answer).records.length > 0);
  expect(Records.parse(page).records[0]).toMatchObject({
    eventId,
    eventCode: 'leak',
    eventTypeFlag: 1,
    eventLevelFlag: 2,
    paramValues: '{"id":"first","litres":"3"}',
  });
  const fired = () => admin.data(`${DATA}/rule/state/list`, { ruleId: String(rule) });
  await eventually(fired, (answer) => JSON.stringify(answer).includes('"entityStateFlag":1'));
  const recordId = await admin.data(`${DATA}/command_history/call`, {
    deviceId,
    commandId,
    paramValues: { seconds: 30 },
  });
  const record = () =>
    admin.data(`${DATA}/command_history/get_by_record_id`, undefined, {
      recordId: String(recordId),
    });
  const ended = await eventually(
    record,
    (answer) => !/"status":"(PENDING|SENT)"/.test(JSON.stringify(answer)),
  );
  expect(ended).toMatchObject({
    status: 'SUCCESS',
    resultValues: JSON.stringify({ got: '{"seconds":"30"}', left: '7' }),
  });
});
