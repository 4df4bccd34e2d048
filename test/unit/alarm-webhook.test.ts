import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Delivery } from '../../src/alarm/channel/delivery/channel.ts';
import { webhook } from '../../src/alarm/channel/webhook.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { channelEgress } from '../support/neighbours/channel-egress.ts';
import { delivery, notice, webhookSecret } from '../support/neighbours/delivery.ts';
import {
  redirect,
  startWebhookReceiver,
  status,
  verified,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import { TestClock } from '../support/world/clock.ts';

const signal = new AbortController().signal;
const clock = new TestClock();

function open(allow: string[] = []) {
  const egress = channelEgress(allow);
  return webhook({ egress, clock, mail: null });
}

async function receive(): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** Sends one message and gives what came of it and what arrived. */
async function send(receiver: WebhookReceiver, changes: Partial<Delivery> = {}) {
  const given = { target: receiver.url, credential: webhookSecret, settings: {}, ...changes };
  const outcome = await open([receiver.hostPort]).deliver(delivery(given), signal);
  return { outcome, arrived: receiver.received.at(-1) };
}

describe('a webhook', () => {
  it('carries the alarm as JSON, its id and time in the headers', async () => {
    const { outcome, arrived } = await send(await receive());
    expect(outcome).toEqual({ status: 'delivered', answer: 'HTTP 204' });
    expect(arrived).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': '4711',
        'webhook-timestamp': String(Date.parse('2026-01-05T08:00:01.000Z') / 1_000),
      },
    });
    const { event: _event, ...data } = notice;
    expect(JSON.parse(arrived?.body ?? '')).toEqual({
      type: 'alarm.fired',
      timestamp: '2026-01-05T08:00:01.500Z',
      data: { ...data, subject: 'P0 fired: Too hot', text: 'Boiler: temperature is 91 °C' },
    });
  });

  it('of a recovery says so', async () => {
    const recovered = { ...notice, event: 'recovered' as const };
    const { arrived } = await send(await receive(), { notice: recovered });
    expect(JSON.parse(arrived?.body ?? '')).toMatchObject({ type: 'alarm.recovered' });
  });

  it('is signed so that the library of Standard Webhooks takes it, and only as it was sent', async () => {
    const { arrived } = await send(await receive(), { at: systemClock.now() });
    if (!arrived) throw new Error('nothing arrived');
    expect(verified(webhookSecret, arrived)).toMatchObject({ type: 'alarm.fired' });
    const { headers, body } = arrived;
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const tampered: [string, typeof arrived][] = [
      [webhookSecret, { ...arrived, body: body.replace('P0', 'P3') }],
      [webhookSecret, { ...arrived, headers: { ...headers, 'webhook-id': '4712' } }],
      [webhookSecret, { ...arrived, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } }],
      [other, arrived],
    ];
    for (const [secret, one] of tampered)
      expect(() => verified(secret, one)).toThrow('No matching signature found');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(() =>
        verified(webhookSecret, { ...arrived, headers: { ...headers, [name]: '' } }),
      ).toThrow('Missing required headers');
  });

  it.each([
    ['older than five minutes', -301_000, 'Message timestamp too old'],
    ['of the future', 302_000, 'Message timestamp too new'],
  ])('%s is not taken although it is signed', async (_age, ms, message) => {
    const { arrived } = await send(await receive(), { at: systemClock.now() + ms });
    if (!arrived) throw new Error('nothing arrived');
    expect(() => verified(webhookSecret, arrived)).toThrow(message);
  });

  it('has the signature of the example in the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const signed = new Webhook(secret).sign(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1_614_265_330_000),
      '{"test": 2432232314}',
    );
    expect(signed).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('the answer', () => {
  it.each([
    [[200, 201, 202, 204], 'delivered'],
    [[300, 304, 400, 401, 403, 404, 405, 410, 413, 422, 451], 'refused'],
    [[408, 409, 425, 429, 500, 501, 502, 503, 504, 599], 'unreachable'],
  ])('%j means %s', async (codes, expected) => {
    const receiver = await receive();
    for (const code of codes) {
      receiver.answer(status(code));
      const { outcome } = await send(receiver);
      expect([code, outcome.status]).toEqual([code, expected]);
    }
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['86400', 3_600_000],
    ['999999999', 3_600_000],
    ['Mon, 05 Jan 2026 08:00:30 GMT', 30_000],
    ['Mon, 05 Jan 2026 07:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['9'.repeat(400), undefined],
  ])('retry-after %s asks for %s ms, an hour at most', async (header, expected) => {
    const receiver = await receive();
    receiver.answer(status(503, '', { 'retry-after': header }));
    const { outcome } = await send(receiver);
    const asked = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
    expect(asked).toBe(expected);
  });

  it('is told in one line, without control characters', async () => {
    const receiver = await receive();
    receiver.answer(status(400, 'bad\r\nrequest\u0000\u001b[31m \u202eright'));
    expect((await send(receiver)).outcome).toEqual({
      status: 'refused',
      reason: 'HTTP 400 bad request [31m right',
    });
  });

  it('shows no secret, whole or broken off, nor the value of a header', async () => {
    const receiver = await receive();
    const secret = webhookSecret.slice('whsec_'.length);
    for (const told of [
      webhookSecret,
      secret,
      secret.slice(0, 20),
      'header-value-x',
      'header-val',
    ]) {
      receiver.answer(status(400, `you sent ${told}`));
      const { outcome } = await send(receiver, {
        settings: { headers: { 'X-A': 'header-value-x' } },
      });
      expect(outcome).toEqual({ status: 'refused', reason: 'HTTP 400 you sent ***' });
    }
  });

  it('that leads elsewhere is for good, and is not followed', async () => {
    const receiver = await receive();
    for (const code of [301, 302, 303, 307, 308]) {
      receiver.answer(redirect(receiver.url, code));
      const { outcome } = await send(receiver);
      expect(outcome).toEqual({
        status: 'refused',
        reason: 'The receiver redirects, which is not followed',
      });
    }
    expect(receiver.received).toHaveLength(5);
  });

  it('that does not come because nobody is there may come later', async () => {
    const receiver = await receive();
    await receiver.stop();
    const again = await startWebhookReceiver();
    onTestFinished(() => again.stop());
    const channel = open([receiver.hostPort]);
    const given = { target: receiver.url, credential: webhookSecret, settings: {} };
    expect(await channel.deliver(delivery(given), signal)).toEqual({
      status: 'unreachable',
      reason: 'The receiver cannot be reached (ECONNREFUSED)',
    });
  });
});

describe('a webhook channel', () => {
  const given = { target: 'https://example.com/hook', credential: webhookSecret, settings: {} };
  const bytes = (length: number): string => `whsec_${Buffer.alloc(length, 9).toString('base64')}`;

  it.each([24, 32, 64])('takes a secret of %i bytes', (length) => {
    expect(open().wrong({ ...given, credential: bytes(length) })).toBe(null);
  });

  it.each([
    '',
    'whsec_',
    'secret',
    bytes(23),
    bytes(65),
    bytes(32).slice('whsec_'.length),
    `${bytes(32)}=`,
    `${bytes(32)}\n`,
    bytes(32).replace('C', '-'),
  ])('refuses %j as a secret', (credential) => {
    expect(open().wrong({ ...given, credential })).toMatch(/^credential must be whsec_/);
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.1.2.3/',
    'ftp://example.com/',
    'https://user:password@example.com/',
    'example.com/hook',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('refuses the address %s', (target) => {
    expect(open().wrong({ ...given, target })).toMatch(/address/i);
  });

  it.each([
    { Host: 'inner' },
    { 'Content-Length': '0' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'upgrade' },
    { 'webhook-signature': 'v1,forged' },
    { 'Webhook-Id': '1' },
    { 'content-type': 'text/plain' },
    { authorization: 'Bearer token-in-the-clear' },
    { authorization: 'Bearer {{credential}}' },
    { cookie: 'a=b' },
    { 'proxy-authorization': 'x' },
    { 'x-forwarded-for': '10.0.0.1' },
    { 'x y': 'name with a space' },
    { 'x\r\ny': 'name with a line' },
    { 'x-a': 'a\r\nx-b: c' },
    { 'x-a': 'a\nb' },
    { 'x-a': '\0' },
    { 'x-a': 'grün' },
    { 'x-a': '' },
    { 'x-a': 'x'.repeat(600) },
    Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`x-${i}`, 'v'])),
  ])('refuses the headers %j', (headers) => {
    expect(open().wrong({ ...given, settings: { headers } })).toMatch(/^headers/);
  });

  it('sends the headers it was given', async () => {
    const settings = { headers: { 'X-Team': 'boiler room' } };
    const { arrived } = await send(await receive(), { settings });
    expect(arrived?.headers['x-team']).toBe('boiler room');
  });
});
