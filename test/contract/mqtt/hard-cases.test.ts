import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../../support/devices/driver-center.ts';
import { type MqttBench, openMqttBench } from '../../support/mqtt/bench.ts';
import { type Field, mosquittoPub, quietly, startField } from '../../support/mqtt/field.ts';
import { type Mosquitto, startMosquitto } from '../../support/mqtt/mosquitto.ts';
import { until } from '../../support/world/until.ts';

let broker: Mosquitto;
let bench: MqttBench;
let field: Field;
const benches: MqttBench[] = [];

beforeEach(async () => {
  broker = await startMosquitto();
  field = await startField(broker.url);
});
afterEach(async () => {
  await field.stop();
  for (const each of benches.splice(0)) await each.stop();
  await broker.stop();
});

const TIMED = { valuePath: '$.v', timePath: '$.ts' };
type Configs = Record<string, string>;
const T0 = Date.now() - 60_000;

async function open(configs: Configs, point: Configs = {}, node = 'n1'): Promise<MqttBench> {
  const device = driverDevice(
    { url: broker.url, device: 'dev-1', statusTopic: '${device}/status', ...configs },
    [{ id: '1', code: 'temperature', rw: 'READ_WRITE', configs: point }],
  );
  const opened = await openMqttBench(device, { allow: [`127.0.0.1:${broker.port}`], node });
  benches.push(opened);
  await until(() => expect(opened.status().status).toBe('ONLINE'));
  return opened;
}

const send = (v: unknown, ts: number, more: object = {}) =>
  field.send('dev-1/temperature', JSON.stringify({ v, ts, ...more }));
const values = () => bench.center.values.map(({ calValue, originTime }) => [calValue, originTime]);
const came = (count: number) => until(() => expect(bench.center.values).toHaveLength(count));

describe('values', () => {
  it('come with the time of the device, to the last digit', async () => {
    bench = await open(TIMED);
    await mosquittoPub(
      broker.port,
      '-q',
      '1',
      '-t',
      'dev-1/temperature',
      '-m',
      `{"v":21.30000000000000000001,"ts":${T0}}`,
    );
    await came(1);
    expect(bench.center.values[0]).toMatchObject({
      rawValue: '21.30000000000000000001',
      originTime: T0,
      quality: 0,
    });
  });

  it('that the broker had stored count only with their own time (thingsboard#1264)', async () => {
    await field.send('dev-1/temperature', JSON.stringify({ v: 7, ts: T0 }), true);
    await field.send('dev-1/other', '8', true);
    bench = await open(TIMED);
    await came(1);
    expect(values()).toEqual([['7', T0]]);
    await bench.stop();
    bench = await open({ topic: 'dev-1/other' });
    await quietly();
    expect(bench.center.values).toEqual([]);
  });

  it('without a time that waited in the broker are never stamped as fresh (thingsboard-gateway#2119)', async () => {
    bench = await open({});
    await bench.away();
    await field.send('dev-1/temperature', '99');
    await bench.back();
    await until(() => expect(bench.status().status).toBe('ONLINE'));
    await field.send('dev-1/temperature', '20');
    await came(1);
    expect(bench.center.values[0]?.calValue).toBe('20');
  });

  it('of one millisecond are both stored (thingsboard#1579)', async () => {
    bench = await open(TIMED);
    await send(1, T0);
    await send(2, T0);
    await came(2);
    expect(values()).toEqual([
      ['1', T0],
      ['2', T0],
    ]);
    expect(new Set(bench.center.values.map(({ seq }) => seq)).size).toBe(2);
  });

  it('of a backlog of a thousand come once each, with their own times (mysa2mqtt#202)', async () => {
    bench = await open(TIMED);
    await bench.away();
    for (let i = 0; i < 1000; i += 1)
      field.client.publish('dev-1/temperature', JSON.stringify({ v: i, ts: T0 + i }), { qos: 1 });
    await send(1000, T0 + 1000);
    await bench.back();
    await came(1001);
    expect(values()).toEqual(Array.from({ length: 1001 }, (_, i) => [String(i), T0 + i]));
  });

  it('that are repeated are the same row: by their time, or by their id', async () => {
    bench = await open(TIMED);
    await send(5, T0);
    await send(5, T0);
    await came(2);
    expect(
      new Set(bench.center.values.map(({ seq, originTime }) => `${seq} ${originTime}`)).size,
    ).toBe(1);
    await bench.stop();
    bench = await open({ valuePath: '$.v', idPath: '$.id' });
    for (const id of ['a', 'a', 'b']) await send(6, T0, { id });
    await came(2);
    await quietly();
    expect(bench.center.values).toHaveLength(2);
  });

  it('are not acknowledged before they are handed on, and come again (QoS 1)', async () => {
    bench = await open(TIMED);
    const { bus } = bench.center;
    const publish = bus.publish.bind(bus);
    let isAway = true;
    bus.publish = async (...given: Parameters<typeof publish>) => {
      if (isAway && given[0] === 'svc.e.value') throw new Error('the bus is away');
      await publish(...given);
    };
    await send(3, T0);
    await until(() => expect(bench.status().description).toMatch(/could not be handed on/));
    isAway = false;
    await came(1);
    expect(values()).toEqual([['3', T0]]);
  });

  it('by a topic alias come from their topic (paho.mqtt.java#1104)', async () => {
    bench = await open(TIMED);
    const aliased = await startField(broker.url, {
      name: 'dev-2',
      options: { autoAssignTopicAlias: true },
    });
    for (const v of [1, 2])
      await aliased.send('dev-1/temperature', JSON.stringify({ v, ts: T0 + v }));
    await came(2);
    await aliased.stop();
    expect(values()).toEqual([
      ['1', T0 + 1],
      ['2', T0 + 2],
    ]);
  });

  it.each([
    ['no JSON', 'warm', 'no JSON'],
    ['no time', '{"v":1,"q":"good"}', 'no time'],
    ['an object', `{"v":{},"ts":${T0},"q":"good"}`, 'no single value'],
    ['a bad quality', `{"v":1,"ts":${T0},"q":"BAD"}`, 'calls it BAD'],
  ])('that are %s are BAD, with the reason', async (_what, payload, reason) => {
    bench = await open({ ...TIMED, qualityPath: '$.q' });
    await field.send('dev-1/temperature', payload);
    await came(1);
    expect(bench.center.values[0]).toMatchObject({
      quality: 2,
      issue: expect.stringContaining(reason),
      rawValue: '',
    });
  });

  it('in lists and in bytes are read', async () => {
    bench = await open({ ...TIMED, itemsPath: '$.items' });
    await field.send(
      'dev-1/temperature',
      JSON.stringify({
        items: [
          { v: 1, ts: T0 },
          { v: 2, ts: T0 + 5 },
        ],
      }),
    );
    await came(2);
    expect(values()).toEqual([
      ['1', T0],
      ['2', T0 + 5],
    ]);
    await bench.stop();
    bench = await open({}, { format: 'int16', offset: '1', byteOrder: 'little' });
    await field.send('dev-1/temperature', Buffer.from([9, 0xfe, 0xff]));
    await came(1);
    expect(bench.center.values[0]?.calValue).toBe('-2');
  });

  it('of a shared subscription come to one of several nodes, each once', async () => {
    bench = await open({ ...TIMED, sharedGroup: 'svc' });
    const other = await open({ ...TIMED, sharedGroup: 'svc' }, {}, 'n2');
    for (let i = 0; i < 20; i += 1) await send(i, T0 + i);
    const all = () => [...bench.center.values, ...other.center.values];
    await until(() => expect(all()).toHaveLength(20));
    expect(new Set(all().map(({ calValue }) => calValue)).size).toBe(20);
    expect(other.center.values.length).toBeGreaterThan(0);
  });
});

describe('a broker', () => {
  it('that lost the session is subscribed to anew (MQTT.js#895)', async () => {
    bench = await open({ ...TIMED, protocol: '3.1.1' });
    await broker.kill();
    await until(() => expect(bench.status().description).toMatch(/the broker is/));
    await broker.start();
    await until(() => expect(field.client.connected).toBe(true));
    await until(async () => {
      await field.send('dev-1/status', 'online', true);
      expect(bench.status().status).toBe('ONLINE');
    });
    await send(4, T0);
    await came(1);
    expect(values()).toEqual([['4', T0]]);
  });

  it('that is away leaves nothing to chance: a write is not sent, now or later', async () => {
    bench = await open({}, { writeTopic: '${device}/set' });
    await broker.kill();
    await until(() => expect(bench.status().status).toBe('OFFLINE'));
    expect(await bench.write('23')).toMatchObject({
      status: 'FAILED',
      errorCode: 'DEVICE_OFFLINE',
    });
    await broker.start();
    await until(() => expect(field.client.connected).toBe(true));
    await quietly();
    expect(field.writes()).toBe(0);
  });

  it('with TLS asks for a certificate, and its own is verified', async () => {
    const { certificate } = await import('../../support/neighbours/certificate.ts');
    const secure = await startMosquitto({ tls: true });
    const { cert, key } = certificate;
    const oneLine = (text: string): string => text.trim().replaceAll('\n', ' ');
    const proof = { clientCert: oneLine(cert), clientKey: oneLine(key) };
    const tried = async (configs: Configs) => {
      const device = driverDevice({ url: secure.url, ...configs }, [{ id: '1', code: 't' }]);
      const opened = await openMqttBench(device, { allow: [`127.0.0.1:${secure.port}`] });
      benches.push(opened);
      return opened;
    };
    const known = await tried({ ca: oneLine(cert), ...proof });
    await until(() => expect(known.status().description).toBe('nothing came from it yet'));
    const unknown = await tried(proof);
    await until(() => expect(unknown.status().description).toMatch(/self-signed certificate/));
    const unproven = await tried({ ca: cert });
    await until(() =>
      expect(unproven.status().description).toMatch(/the broker is (not reached|gone)/),
    );
    await secure.stop();
  });

  it('on a private address is reached only where the operator allows it', async () => {
    const device = driverDevice({ url: broker.url }, [{ id: '1', code: 't' }]);
    const refused = await openMqttBench(device, { allow: [] });
    benches.push(refused);
    await until(() => expect(refused.status().description).toMatch(/not a public one/));
  });
});

describe('a device', () => {
  it('is offline at once when its last will says so', async () => {
    bench = await open({});
    field.client.stream.destroy();
    await until(() =>
      expect(bench.status()).toMatchObject({
        status: 'OFFLINE',
        description: 'gone: its status is "offline"',
      }),
    );
  });

  it('that reports what was written is verified by that report', async () => {
    bench = await open({ topic: '${device}/setPoint' }, { writeTopic: '${device}/set' });
    expect(await bench.write('22.5')).toMatchObject({ status: 'SUCCESS', readBack: '22.5' });
    expect(field.writes()).toBe(1);
  });

  it('that answers and then holds another value is a mismatch', async () => {
    bench = await open({}, { writeTopic: '${device}/set', replyTopic: '${device}/reply' });
    const writing = bench.write('22.5');
    await until(() => expect(field.writes()).toBe(1));
    await field.send('dev-1/temperature', '19');
    expect(await writing).toMatchObject({ status: 'SUCCESS', readBack: '19' });
  });

  it('that says nothing leaves the write unknown, and an older report proves nothing', async () => {
    bench = await open(TIMED, { writeTopic: '${device}/set' });
    const writing = bench.write('22.5');
    await until(() => expect(field.writes()).toBe(1));
    await send(22.5, T0);
    await send(18, Date.now());
    const { status, errorCode, errorMessage, readBack } = await writing;
    expect({ status, errorCode, readBack }).toEqual({
      status: 'UNKNOWN',
      errorCode: 'NOT_CONFIRMED',
      readBack: null,
    });
    expect(errorMessage).toContain('the device reported 18 after it');
  });

  it.each([
    ['with its id', { replyIdPath: '$.id' }, 'FAILED', 'DEVICE_REFUSED'],
    ['without an id', {}, 'UNKNOWN', 'NOT_CONFIRMED'],
  ])('that answers no %s is believed so far', async (_what, more, status, errorCode) => {
    await field.client.unsubscribeAsync('dev-1/set');
    await field.client.subscribeAsync('dev-1/cmd', { qos: 1 });
    field.client.on('message', (topic, payload) => {
      if (topic !== 'dev-1/cmd') return;
      const { id } = JSON.parse(payload.toString());
      void field.send('dev-1/reply', JSON.stringify({ id, ok: false }));
    });
    bench = await open(
      {},
      {
        writeTopic: '${device}/cmd',
        writePayload: '{"id":"${id}","value":${value}}',
        replyTopic: '${device}/reply',
        replyPath: '$.ok',
        ...more,
      },
    );
    expect(await bench.write('22.5')).toMatchObject({ status, errorCode, readBack: null });
  });

  it('that does not listen is told of: nothing was written', async () => {
    bench = await open({}, { writeTopic: '${device}/nowhere' });
    expect(await bench.write('1')).toMatchObject({ status: 'FAILED', errorCode: 'DEVICE_OFFLINE' });
  });

  it('that only reports cannot be read', async () => {
    bench = await open({});
    const { commandId } = await bench.center.send({ pointId: '1' });
    expect(await bench.center.result(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'REPORTS_ONLY',
    });
  });

  it('whose write comes back at its value topic is refused: it would prove itself', async () => {
    bench = await open({}, { writeTopic: '${device}/temperature' });
    expect(await bench.write('1')).toMatchObject({ status: 'FAILED', errorCode: 'POINT_CONFIG' });
  });
});
