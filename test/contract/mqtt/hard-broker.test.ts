import { describe, expect, it } from 'vitest';

import { driverDevice } from '../../support/devices/driver-center.ts';
import { type MqttBench, openMqttBench } from '../../support/mqtt/bench.ts';
import { MqttCase } from '../../support/mqtt/case.ts';
import { quietly } from '../../support/mqtt/field.ts';
import { startMosquitto } from '../../support/mqtt/mosquitto.ts';
import { until } from '../../support/world/until.ts';

const at = new MqttCase();
let bench: MqttBench;

const TIMED = { valuePath: '$.v', timePath: '$.ts' };
const T0 = Date.now() - 60_000;
const values = () => bench.center.values.map(({ calValue, originTime }) => [calValue, originTime]);
const came = (count: number) => until(() => expect(bench.center.values).toHaveLength(count));

describe('a broker', () => {
  it('that lost the session is subscribed to anew (MQTT.js#895)', async () => {
    bench = await at.open({ ...TIMED, protocol: '3.1.1' });
    await at.broker.kill();
    await until(() => expect(bench.status().description).toMatch(/the broker is/));
    await at.broker.start();
    await until(() => expect(at.field.client.connected).toBe(true));
    await until(async () => {
      await at.field.send('dev-1/status', 'online', true);
      expect(bench.status().status).toBe('ONLINE');
    });
    await at.send(4, T0);
    await came(1);
    expect(values()).toEqual([['4', T0]]);
  });

  it('that is away leaves nothing to chance: a write is not sent, now or later', async () => {
    bench = await at.open({}, { writeTopic: '${device}/set' });
    await at.broker.kill();
    await until(() => expect(bench.status().status).toBe('OFFLINE'));
    expect(await bench.write('23')).toMatchObject({
      status: 'FAILED',
      errorCode: 'DEVICE_OFFLINE',
    });
    await at.broker.start();
    await until(() => expect(at.field.client.connected).toBe(true));
    await quietly();
    expect(at.field.writes()).toBe(0);
  });

  it('with TLS asks for a certificate, and its own is verified', async () => {
    const { certificate } = await import('../../support/neighbours/certificate.ts');
    const secure = await startMosquitto({ tls: true });
    const { cert, key } = certificate;
    const oneLine = (text: string): string => text.trim().replaceAll('\n', ' ');
    const proof = { clientCert: oneLine(cert), clientKey: oneLine(key) };
    const tried = async (configs: Record<string, string>) => {
      const device = driverDevice({ url: secure.url, ...configs }, [{ id: '1', code: 't' }]);
      const opened = await openMqttBench(device, { allow: [`127.0.0.1:${secure.port}`] });
      at.benches.push(opened);
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
    const device = driverDevice({ url: at.broker.url }, [{ id: '1', code: 't' }]);
    const refused = await openMqttBench(device, { allow: [] });
    at.benches.push(refused);
    await until(() => expect(refused.status().description).toMatch(/not a public one/));
  });
});

describe('a device', () => {
  it('is offline at once when its last will says so', async () => {
    bench = await at.open({});
    at.field.client.stream.destroy();
    await until(() =>
      expect(bench.status()).toMatchObject({
        status: 'OFFLINE',
        description: 'gone: its status is "offline"',
      }),
    );
  });

  it('that reports what was written is verified by that report', async () => {
    bench = await at.open({ topic: '${device}/setPoint' }, { writeTopic: '${device}/set' });
    expect(await bench.write('22.5')).toMatchObject({ status: 'SUCCESS', readBack: '22.5' });
    expect(at.field.writes()).toBe(1);
  });

  it('that answers and then holds another value is a mismatch', async () => {
    bench = await at.open({}, { writeTopic: '${device}/set', replyTopic: '${device}/reply' });
    const writing = bench.write('22.5');
    await until(() => expect(at.field.writes()).toBe(1));
    await at.field.send('dev-1/temperature', '19');
    expect(await writing).toMatchObject({ status: 'SUCCESS', readBack: '19' });
  });

  it('that says nothing leaves the write unknown, and an older report proves nothing', async () => {
    bench = await at.open(TIMED, { writeTopic: '${device}/set' });
    const writing = bench.write('22.5');
    await until(() => expect(at.field.writes()).toBe(1));
    await at.send(22.5, T0);
    await at.send(18, Date.now());
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
    await at.field.client.unsubscribeAsync('dev-1/set');
    await at.field.client.subscribeAsync('dev-1/cmd', { qos: 1 });
    at.field.client.on('message', (topic, payload) => {
      if (topic !== 'dev-1/cmd') return;
      const { id } = JSON.parse(payload.toString());
      void at.field.send('dev-1/reply', JSON.stringify({ id, ok: false }));
    });
    bench = await at.open(
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
    bench = await at.open({}, { writeTopic: '${device}/nowhere' });
    expect(await bench.write('1')).toMatchObject({ status: 'FAILED', errorCode: 'DEVICE_OFFLINE' });
  });

  it('that only reports cannot be read', async () => {
    bench = await at.open({});
    const { commandId } = await bench.center.send({ pointId: '1' });
    expect(await bench.center.result(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'REPORTS_ONLY',
    });
  });

  it('whose write comes back at its value topic is refused: it would prove itself', async () => {
    bench = await at.open({}, { writeTopic: '${device}/temperature' });
    expect(await bench.write('1')).toMatchObject({ status: 'FAILED', errorCode: 'POINT_CONFIG' });
  });
});
