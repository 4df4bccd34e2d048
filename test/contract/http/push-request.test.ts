import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

import { type HttpBench, secretOf } from '../../support/http/bench.ts';
import { child, device, one, open } from '../../support/http/push.ts';

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
