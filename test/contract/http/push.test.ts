import { describe, expect, it } from 'vitest';

import { BusUnavailable } from '../../../src/bus/bus.ts';
import { driverDevice } from '../../support/devices/driver-center.ts';
import { secretOf } from '../../support/http/bench.ts';
import { child, device, one, open, points } from '../../support/http/push.ts';
import { until } from '../../support/world/until.ts';

describe('a push', () => {
  it('is stored with its times and all digits, and answered after that', async () => {
    const { push, center, clock } = await open();
    const now = clock.now();
    const body = `{"values":[{"point":"temperature","value":21.50,"time":"2026-01-05T09:59:00+02:00"},
      {"point":"count","value":9007199254740993,"time":${now - 1_000}},
      {"point":"door","value":"OPEN"}]}`;
    expect(await push(body)).toMatchObject({
      status: 200,
      ok: true,
      data: { taken: 3, refused: [], bad: [] },
    });
    expect(center.values).toMatchObject([
      { pointId: '1', rawValue: '21.50', numValue: 21.5, originTime: now - 60_000, quality: 0 },
      { pointId: '4', calValue: '9007199254740993', originTime: now - 1_000, quality: 0 },
      { pointId: '2', calValue: 'true', originTime: now, quality: 0 },
    ]);
  });

  it('makes its device online at once, and silence offline', async () => {
    const { push, center, clock, status } = await open();
    expect(status(device())).toEqual({
      status: 'OFFLINE',
      description: 'nothing came from it yet by POST /push/1',
    });
    await push({ values: [] });
    expect(status(device()).status).toBe('ONLINE');
    await until(() => expect(center.states.at(-1)?.devices[0]?.status).toBe('ONLINE'));
    await clock.advance(301_000);
    expect(status(device())).toEqual({ status: 'OFFLINE', description: 'silent for 301 s' });
  });

  it('names what was refused and what is bad, value by value', async () => {
    const { push, center, clock, status } = await open();
    const now = clock.now();
    const day = 86_400_000;
    const answer = await push({
      values: [
        { point: 'temperature', value: 20, time: now - 1 },
        { point: 'temperature', value: 20, time: now + 121_000 },
        { point: 'temperature', value: 20, time: now - 31 * day },
        { point: 'temperature', value: 20, time: '2026-01-05T08:00:00' },
        { point: 'nothing', value: 20 },
        { point: 'reset', value: 1 },
        { point: 'temperature', value: 20, ts: now },
        { point: 'temperature' },
        { device: 'device 2', point: 'temperature', value: 1 },
        { point: 'temperature', value: 'warm', time: now - 2 },
        { point: 'temperature', value: null, time: now - 3 },
        { point: 'temperature', value: 20, time: now - 4, quality: 'BAD' },
        { point: 'temperature', value: 20, time: now - 5, quality: 'UNCERTAIN' },
        'value',
      ],
    });
    expect(answer).toMatchObject({ status: 200, data: { taken: 5, refusedCount: 9, badCount: 3 } });
    expect(answer.data?.refused?.map(({ at, code }) => `${at} ${code}`).toSorted()).toEqual([
      'values[13] VALUE_SHAPE',
      'values[1] TIME_FUTURE',
      'values[2] TIME_TOO_OLD',
      'values[3] TIME_INVALID',
      'values[4] POINT_UNKNOWN',
      'values[5] POINT_WRITE_ONLY',
      'values[6] VALUE_SHAPE',
      'values[7] VALUE_SHAPE',
      'values[8] DEVICE_UNKNOWN',
    ]);
    expect(answer.data?.bad).toMatchObject([
      { at: 'values[9]', message: 'temperature: it is no DOUBLE' },
      { at: 'values[10]', message: 'temperature: it is no text, number or boolean' },
      { at: 'values[11]', message: 'temperature: the sender calls it bad' },
    ]);
    expect(center.values.map(({ quality }) => quality)).toEqual([0, 2, 2, 2, 1]);
    expect(status(device()).description).toBe(
      'it pushes; of its last push 9 values were refused, the first: POINT_UNKNOWN',
    );
  });

  it('of nothing that can be taken is 422, and may come again', async () => {
    const { push, center } = await open();
    const body = { values: [{ point: 'nothing', value: 20 }] };
    for (const _ of [1, 2])
      expect(await push(body, { id: 'same' })).toMatchObject({
        status: 422,
        code: 'R422',
        data: { taken: 0, refused: [{ at: 'values[0]', code: 'POINT_UNKNOWN' }] },
      });
    expect(center.values).toEqual([]);
  });

  it('with several values of a point and no times is refused for that point', async () => {
    const { push, center } = await open();
    const values = [
      { point: 'temperature', value: 1 },
      { point: 'temperature', value: 2 },
      { point: 'count', value: 3 },
    ];
    const { data } = await push({ values });
    expect(data?.refused?.map(({ code }) => code)).toEqual(['TIME_MISSING', 'TIME_MISSING']);
    expect(center.values).toMatchObject([{ pointId: '4', calValue: '3' }]);
  });

  it('in a form of its own is read by paths, whole or as a list', async () => {
    const form = { body: 'own', itemsPath: '$.readings', timePath: '$.at', devicePath: '$.unit' };
    const paths = [
      { id: '1', code: 'temperature', configs: { valuePath: '$.t[0]' } },
      { id: '2', code: 'humidity' },
    ];
    const gateway = driverDevice({ secret: secretOf(1), ...form }, paths);
    const unit = driverDevice({ gateway: 'device 1', device: 'unit-2' }, paths, '2');
    const plain = driverDevice({ secret: secretOf(3), body: 'own' }, paths, '3');
    const { push, center, clock } = await open([gateway, unit, plain]);
    const now = clock.now();
    const answer = await push({
      readings: [
        { unit: 'unit-2', t: [20.5], humidity: 40, at: now - 2_000 },
        { t: [21], at: now - 1_000 },
        { unit: 'unit-9', t: [1] },
        { other: 1 },
      ],
    });
    expect(answer.data).toMatchObject({
      taken: 3,
      refused: [
        { at: 'items[2]', code: 'DEVICE_UNKNOWN' },
        { at: 'items[3]', code: 'POINT_UNKNOWN' },
      ],
    });
    expect(center.values).toMatchObject([
      { deviceId: '2', pointId: '1', numValue: 20.5, originTime: now - 2_000 },
      { deviceId: '2', pointId: '2', numValue: 40 },
      { deviceId: '1', pointId: '1', numValue: 21, originTime: now - 1_000 },
    ]);
    const { data } = await push({ humidity: 41 }, { device: '3', secret: secretOf(3) });
    expect(data?.taken).toBe(1);
    expect(center.values.at(-1)).toMatchObject({ deviceId: '3', pointId: '2', originTime: now });
  });
});

describe('a gateway', () => {
  it('pushes for itself and its own devices only, and both are online by it', async () => {
    const mine = child('2');
    const named = child('3', { device: 'meter' });
    const others = driverDevice({ secret: secretOf(4) }, points, '4');
    const foreign = { ...child('5'), tenantId: '2' };
    const off = { ...child('6'), enabled: false };
    const { push, center, status } = await open([device(), mine, named, others, foreign, off]);
    const of = (name: string) => ({ device: name, point: 'temperature', value: 20 });
    const { data } = await push({
      values: ['device 1', 'device 2', 'meter', 'device 4', 'device 5', 'device 6'].map(of),
    });
    expect(data).toMatchObject({
      taken: 3,
      refused: [
        { at: 'values[3]', code: 'DEVICE_UNKNOWN' },
        { at: 'values[4]', code: 'DEVICE_UNKNOWN' },
        { at: 'values[5]', code: 'DEVICE_DISABLED' },
      ],
    });
    expect(center.values.map(({ deviceId }) => deviceId)).toEqual(['1', '2', '3']);
    expect([status(mine).status, status(named).status]).toEqual(['ONLINE', 'ONLINE']);
    expect(status(child('7', { gateway: 'nobody' })).status).toBe('OFFLINE');
  });

  it('cannot push by the address of a child, and a child not with the secret of its gateway', async () => {
    const { push } = await open([device(), child('2')]);
    expect((await push(one(1), { device: '2' })).status).toBe(401);
  });

  it('that is not there, or two children of one name, are said', async () => {
    const twins = [child('2', { device: 'twin' }), child('3', { device: 'twin' })];
    const orphan = child('4', { gateway: 'gone' });
    const { push, status } = await open([device(), ...twins, orphan]);
    const { data } = await push({ values: [{ device: 'twin', point: 'temperature', value: 1 }] });
    expect(data?.refused).toMatchObject([{ message: 'several devices have that name' }]);
    expect(status(orphan).description).toBe('gateway: the HTTP driver has no device of that name');
  });
});

describe('values', () => {
  it('are not answered before they are handed on', async () => {
    const { push, center } = await open();
    const { publish } = center.bus;
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    center.bus.publish = async (topic, ...rest) => {
      if (topic === 'svc.e.value') {
        asked.resolve();
        await held.promise;
      }
      return publish(topic, ...rest);
    };
    let isAnswered = false;
    const answer = push(one(20)).then((given) => {
      isAnswered = true;
      return given;
    });
    await asked.promise;
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    held.resolve();
    expect((await answer).status).toBe(200);
  });
});

describe('values that cannot be stored now', () => {
  it('are answered 503 with Retry-After, and are one row when they come again', async () => {
    const { push, center, clock } = await open();
    const { publish } = center.bus;
    center.bus.publish = async (topic, ...rest) => {
      if (topic === 'svc.e.value') throw new BusUnavailable('the broker is away');
      return publish(topic, ...rest);
    };
    expect(await push(one(20), { id: 'same' })).toMatchObject({
      status: 503,
      code: 'R503',
      retryAfter: '5',
    });
    expect(center.values).toEqual([]);
    center.bus.publish = publish;
    const first = clock.now();
    await clock.advance(60_000);
    expect((await push(one(20), { id: 'same' })).status).toBe(200);
    // The time at which it came first: had it been stored then after all, it would be the same row.
    expect(center.values).toMatchObject([{ originTime: first }]);
  });

  it('and devices that are not known yet are 503, not a wrong signature', async () => {
    const ready = Promise.withResolvers<void>();
    const { push } = await open([device()], { ready: ready.promise });
    expect(await push(one(1))).toMatchObject({ status: 503, retryAfter: '5' });
    ready.resolve();
    await until(async () => expect((await push(one(1))).status).toBe(200));
  });
});
