import { describe, expect, it, onTestFinished } from 'vitest';

import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { BusUnavailable } from '../../../src/bus/bus.ts';
import { driverDevice } from '../../support/devices/driver-center.ts';
import { type HttpBench, openHttpBench, secretOf } from '../../support/http/bench.ts';
import { until } from '../../support/world/until.ts';

const points = [
  { id: '1', code: 'temperature' },
  {
    id: '2',
    code: 'open',
    type: 'BOOLEAN',
    configs: { key: 'door', trueText: 'OPEN', falseText: 'SHUT' },
  },
  { id: '3', code: 'reset', rw: 'WRITE_ONLY' },
  { id: '4', code: 'count', type: 'LONG' },
] as const;

const device = (configs: Record<string, string> = {}, id = '1'): DriverDevice =>
  driverDevice({ secret: secretOf(1), ...configs }, points, id);
/** A child of `device 1`. */
const child = (id: string, configs: Record<string, string> = {}): DriverDevice =>
  driverDevice({ gateway: 'device 1', ...configs }, points, id);

async function open(
  devices: readonly DriverDevice[] = [device()],
  options: Parameters<typeof openHttpBench>[1] = {},
): Promise<HttpBench> {
  const bench = await openHttpBench(devices, options);
  onTestFinished(() => bench.stop());
  return bench;
}

const one = (value: unknown, more: object = {}) => ({
  values: [{ point: 'temperature', value, ...more }],
});

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

describe('a signature', () => {
  it('that is wrong, and a device that is not there, are the same 401', async () => {
    const { push, center, status } = await open([
      device(),
      child('2'),
      { ...device({}, '3'), enabled: false },
    ]);
    const wrong = await push(one(1), { secret: secretOf(9) });
    expect(wrong).toEqual({
      status: 401,
      ok: false,
      code: 'R401',
      message: 'No available authentication',
      retryAfter: null,
    });
    expect(await push(one(1), { device: '77' })).toEqual(wrong);
    expect(await push(one(1), { device: '2' })).toEqual(wrong);
    expect(await push(one(1), { device: '3' })).toEqual(wrong);
    for (const headers of [
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': '' },
      { 'webhook-id': 'other' },
      { 'webhook-id': '' },
      { 'webhook-timestamp': '1' },
      { 'webhook-timestamp': 'now' },
    ])
      expect(await push(one(1), { headers })).toEqual(wrong);
    expect(center.values).toEqual([]);
    expect(status(device()).description).toBe(
      'nothing came from it yet by POST /push/1; a request with a wrong signature came',
    );
  });

  it('is over the bytes that came: one byte more is another body', async () => {
    const { push } = await open();
    const signed = JSON.stringify(one(20));
    const { Webhook } = await import('standardwebhooks');
    const at = Date.parse('2026-01-05T08:00:00.000Z');
    const headers = {
      'webhook-id': 'm',
      'webhook-signature': `v1a,abc v1,AAAA ${new Webhook(secretOf(1)).sign('m', new Date(at), signed)}`,
    };
    expect((await push(`${signed} `, { headers })).status).toBe(401);
    expect((await push(signed, { headers })).status).toBe(200);
  });

  it('counts for five minutes, and a wrong clock is said to the one with the secret', async () => {
    const { push, clock, status } = await open();
    const now = clock.now();
    expect((await push(one(1), { at: now - 300_000 })).status).toBe(200);
    expect((await push(one(1), { at: now + 300_000 })).status).toBe(200);
    for (const at of [now - 301_000, now + 301_000])
      expect(await push(one(1), { at })).toMatchObject({
        status: 401,
        message: 'The webhook-timestamp is more than 5 minutes from the time here',
      });
    expect(await push(one(1), { at: now - 301_000, secret: secretOf(9) })).toMatchObject({
      status: 401,
      message: 'No available authentication',
    });
    await push(one(1), { at: now - 301_000 });
    expect(status(device()).description).toBe('it pushes; its clock is wrong');
  });

  it('counts with the old secret too while it is changed, and not after', async () => {
    const { push, center } = await open([device({ secret: secretOf(2), oldSecret: secretOf(1) })]);
    expect((await push(one(1))).status).toBe(200);
    expect((await push(one(2), { secret: secretOf(2) })).status).toBe(200);
    await center.announce(device({ secret: secretOf(2) }));
    expect((await push(one(3))).status).toBe(401);
    expect((await push(one(4), { secret: secretOf(2) })).status).toBe(200);
  });

  it.each(['short', 'whsec_c2hvcnQ=', 'whsec_!'])(
    'by %s is a setting that is named',
    async (secret) => {
      const wrong = device({ secret });
      const { status } = await open([wrong]);
      expect(status(wrong).description).toBe('secret: must be whsec_ and base64 of 24 to 64 bytes');
    },
  );
});

describe('an id', () => {
  it('that comes again answers 200 again and stores nothing twice, also at the same time', async () => {
    const { push, center } = await open();
    const answers = await Promise.all([1, 2, 3].map(() => push(one(20), { id: 'same' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await push(one(20), { id: 'same' })).toMatchObject({
      status: 200,
      data: { taken: 0, repeated: true },
    });
    expect(center.values).toHaveLength(1);
  });

  it('of another body is 409: its values would be lost', async () => {
    const { push, center } = await open();
    await push(one(20), { id: 'same' });
    expect(await push(one(21), { id: 'same' })).toMatchObject({ status: 409, code: 'R409' });
    expect(center.values).toHaveLength(1);
  });

  it('is of its device alone', async () => {
    const { push, center } = await open([device(), device({ secret: secretOf(2) }, '2')]);
    await push(one(20), { id: 'same' });
    await push(one(20), { id: 'same', device: '2', secret: secretOf(2) });
    expect(center.values).toHaveLength(2);
  });

  it('is forgotten by a restart: a value with its time is the same row all the same', async () => {
    const { push, center, clock, restart } = await open();
    const body = one(20, { time: clock.now() - 1_000 });
    await push(body, { id: 'same' });
    await restart();
    await push(body, { id: 'same' });
    const [first, second] = center.values;
    expect(center.values).toHaveLength(2);
    expect(second).toEqual(first);
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

describe('a request', () => {
  it.each<[number, string, unknown, Parameters<HttpBench['push']>[1]]>([
    [404, 'to another path', one(1), { path: '/push' }],
    [404, 'with a query', one(1), { path: '/push/1?a=1' }],
    [404, 'to a name', one(1), { path: '/push/device%201' }],
    [405, 'by PUT', one(1), { method: 'PUT' }],
    [405, 'by GET', one(1), { method: 'GET' }],
    [415, 'of text', one(1), { headers: { 'content-type': 'text/plain' } }],
    [415, 'that is compressed', one(1), { headers: { 'content-encoding': 'gzip' } }],
    [413, 'that is too large', one('x'.repeat(256 * 1024)), {}],
    [
      413,
      'of too many values',
      { values: Array.from({ length: 1_001 }, () => one(1).values[0]) },
      {},
    ],
    [413, 'that is too deep', `{"values":${'['.repeat(70)}${']'.repeat(70)}}`, {}],
    [400, 'that is no JSON', '{"values":[', {}],
    [400, 'that is empty', '', {}],
    [400, 'with other members', { ...one(1), time: 1 }, {}],
    [400, 'that is a list', [one(1)], {}],
    [400, 'that is a number', '1e5', {}],
  ])('is %i %s', async (status, _what, body, how) => {
    const { push, center } = await open();
    const answer = await push(body, how);
    expect(answer).toMatchObject({ status, ok: false, code: `R${status}` });
    expect(center.values).toEqual([]);
  });

  it('of a tenant that has had its share waits, and others do not', async () => {
    const other = { ...device({ secret: secretOf(2) }, '2'), tenantId: '2' };
    const { push } = await open([device(), other]);
    const statuses = new Set<number>();
    for (let i = 0; i < 1_002; i += 1) statuses.add((await push({ values: [] })).status);
    expect([...statuses]).toEqual([200, 429]);
    const limited = await push({ values: [] });
    expect(limited).toMatchObject({ status: 429, retryAfter: '1' });
    expect((await push({ values: [] }, { device: '2', secret: secretOf(2) })).status).toBe(200);
  });

  it('for a value that only comes by push is no read and no write', async () => {
    const { center } = await open();
    const read = await center.send({});
    expect(await center.result(read.commandId)).toMatchObject({ errorCode: 'REPORTS_ONLY' });
    const write = await center.send({ type: 'WRITE', pointId: '3', value: '1' });
    expect(await center.result(write.commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'POINT_CONFIG',
    });
  });
});
