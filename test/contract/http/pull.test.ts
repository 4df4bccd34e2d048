import { describe, expect, it, onTestFinished } from 'vitest';

import { type HttpField, startHttpField } from '../../support/http/field.ts';
import { type Case, type Configs, openPull, status } from '../../support/http/pull.ts';
import { until } from '../../support/world/until.ts';

async function collected({ bench: { center, clock } }: Case) {
  const before = center.values.length;
  await clock.advance(30_000);
  await until(() => expect(center.values.length).toBeGreaterThanOrEqual(before + 2));
  return center.values.slice(before);
}

describe('values that are asked for', () => {
  it('come in one request, with the time of the answer, the header, and all digits', async () => {
    const one = await openPull({ header: 'Authorization: Bearer sesame', timePath: '$.at' });
    const { field, bench } = one;
    const at = bench.clock.now() - 5_000;
    field.more = { at, temperature: 21.25 };
    field.received.length = 0;
    expect(await collected(one)).toMatchObject([
      { pointId: '1', calValue: '21.25', originTime: at, quality: 0 },
      { pointId: '2', calValue: '20', originTime: at },
    ]);
    expect(field.received).toMatchObject([
      { method: 'GET', headers: { authorization: 'Bearer sesame', accept: 'application/json' } },
    ]);
  });

  it('that have not changed are not sent again (304), and count as read', async () => {
    const one = await openPull();
    await collected(one);
    const sent: number[] = [];
    one.field.answer = (response) => {
      response.once('finish', () => sent.push(response.statusCode));
      return false;
    };
    const now = one.bench.clock.now() + 30_000;
    expect(await collected(one)).toMatchObject([
      { calValue: '21.5', originTime: now },
      { calValue: '20', originTime: now },
    ]);
    expect(sent).toEqual([304]);
  });

  it('of a time that comes again are the same row', async () => {
    const one = await openPull({ timePath: '$.at' });
    one.field.more = { at: one.bench.clock.now() };
    const [first, second] = [await collected(one), await collected(one)];
    expect(second).toEqual(first);
  });

  it('that are missing, no value, or at an address that answers no are BAD, and the others come', async () => {
    const one = await openPull(
      { timePath: '$.at' },
      {
        points: [
          { id: '3', code: 'nothing' },
          { id: '4', code: 'word', configs: { valuePath: '$.state' } },
          { id: '5', code: 'away', configs: { url: '/away' } },
        ],
      },
    );
    const values = await collected(one);
    const issues = Object.fromEntries(values.map(({ pointId, issue }) => [pointId, issue]));
    expect(issues).toMatchObject({
      '3': 'the answer has no value there',
      '4': 'it is no DOUBLE',
      '5': 'it answers with status 404',
    });
    expect(values.filter(({ quality }) => quality === 0).map(({ pointId }) => pointId)).toEqual([
      '1',
      '2',
    ]);
    one.field.more = { at: 'now' };
    const [bad] = await collected(one);
    expect(bad).toMatchObject({ quality: 2, issue: 'the answer has no time that can be read' });
  });

  it.each<[string, HttpField['answer'], string]>([
    ['is no JSON', status(200, {}, '<html>'), 'the answer is no JSON'],
    [
      'is too large',
      status(200, {}, `"${'x'.repeat(300_000)}"`),
      'the answer is larger than 256 kB',
    ],
    ['is too deep', status(200, {}, '['.repeat(99)), 'the answer is nested deeper than 64 levels'],
    ['is a refusal', status(401), 'it answers with status 401'],
  ])('in an answer that %s are BAD, and the state says so', async (_what, answer, issue) => {
    const one = await openPull();
    one.field.answer = answer;
    const values = await collected(one);
    expect(values).toMatchObject([
      { quality: 2, issue },
      { quality: 2, issue },
    ]);
    expect(one.bench.status(one.device)).toEqual({ status: 'ONLINE', description: issue });
  });
});

describe('a device that is asked', () => {
  it.each<[string, HttpField['answer'], string]>([
    ['whose gateway cannot reach it', status(502), 'it answers with status 502'],
    [
      'that redirects',
      status(302, { location: 'http://127.0.0.1:1/' }),
      'it redirects, which is not followed',
    ],
    [
      'that hangs up',
      (response) => {
        response.destroy();
        return true;
      },
      'it did not answer (UND_ERR_SOCKET)',
    ],
  ])('%s is offline with the reason, and back by itself', async (_what, answer, description) => {
    const { field, device, bench } = await openPull();
    field.answer = answer;
    await bench.clock.advance(30_000);
    await until(() => expect(bench.status(device)).toEqual({ status: 'OFFLINE', description }));
    field.answer = () => false;
    await bench.clock.advance(20_000);
    await until(() => expect(bench.status(device).status).toBe('ONLINE'));
  });

  it('and is away is asked again after growing pauses, and is back within them', async () => {
    const { field, device, bench } = await openPull();
    const { port } = new URL(field.url);
    await field.stop();
    await bench.clock.advance(30_000);
    await until(() =>
      expect(bench.status(device)).toEqual({
        status: 'OFFLINE',
        description: 'it cannot be reached (ECONNREFUSED)',
      }),
    );
    const again = await startHttpField(Number(port));
    onTestFinished(() => again.stop());
    await bench.clock.advance(20_000);
    await until(() => expect(bench.status(device).status).toBe('ONLINE'));
  });

  it('in time or not at all: a slow one is offline', async () => {
    const { field, device, bench } = await openPull();
    field.answer = () => true;
    await bench.clock.advance(30_000);
    await until(() => expect(field.received.length).toBeGreaterThan(1));
    await bench.clock.advance(5_000);
    await until(() =>
      expect(bench.status(device).description).toBe('the device did not answer in time'),
    );
  });

  it.each<[string, Configs, string]>([
    ['at a private address', {}, 'url: The address is not a public one'],
    [
      'in clear',
      { url: 'http://device.example/' },
      'url: http: in clear needs http:HOST:PORT in SVC_EGRESS_ALLOW',
    ],
    [
      'with a login in its address',
      { url: 'https://a:b@device.example/' },
      'url: must hold no login; header is for that',
    ],
    ['by another scheme', { url: 'file:///etc/passwd' }, 'url: must be https://HOST/…'],
    [
      'with a header that is none',
      { header: 'a\r\nb: c' },
      'header: must be a header like Authorization: Bearer …',
    ],
    [
      'with a header of the connection',
      { header: 'Host: a' },
      'header: must be a header like Authorization: Bearer …',
    ],
  ])('%s is not asked, and the state says why', async (_what, configs, description) => {
    const given = 'url' in configs || 'header' in configs ? configs : { url: 'https://10.0.0.1/' };
    const { device, bench } = await openPull(given, { allow: [], isThere: false });
    await until(() => expect(bench.status(device)).toEqual({ status: 'OFFLINE', description }));
  });

  it('at another host by a point is not asked: the header would go there', async () => {
    const point = { id: '3', code: 'x', configs: { url: 'https://other.example/' } };
    const one = await openPull({}, { points: [point] });
    const values = await collected(one);
    expect(values.find(({ pointId }) => pointId === '3')).toMatchObject({
      quality: 2,
      issue: 'url: must be at the host of the url of the device',
    });
  });
});
