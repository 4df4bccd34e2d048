import { describe, expect, it, onTestFinished } from 'vitest';

import type { Delivery } from '../../src/alarm/channel/delivery/channel.ts';
import { sms } from '../../src/alarm/channel/sms.ts';
import { channelEgress } from '../support/neighbours/channel-egress.ts';
import { delivery } from '../support/neighbours/delivery.ts';
import { type SmsGateway, startSmsGateway } from '../support/neighbours/sms-gateway.ts';
import { TestClock } from '../support/world/clock.ts';

const signal = new AbortController().signal;
const KEY = 'key-of-the-gateway';
const TO = '+4915112345678';

function open(allow: string[] = []) {
  const egress = channelEgress(allow);
  return sms({ egress, mail: null, clock: new TestClock() });
}

async function gateway(): Promise<SmsGateway> {
  const started = await startSmsGateway();
  onTestFinished(() => started.stop());
  return started;
}

const send = (to: SmsGateway, changes: Partial<Delivery> = {}) => {
  const given = { target: TO, credential: KEY, settings: to.settings };
  return open([to.hostPort]).deliver(delivery({ ...given, ...changes }), signal);
};

describe('a text message', () => {
  it('is asked for in the words of the gateway, with the key in its header', async () => {
    const server = await gateway();
    expect(await send(server)).toEqual({ status: 'delivered', answer: 'HTTP 204' });
    expect(server.texts()).toEqual([
      { to: TO, text: 'Boiler: temperature is 91 °C', key: `Bearer ${KEY}` },
    ]);
    expect(server.received[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([
    'He said "hot", or \\hot\\',
    '","to":"+10000000",":"',
    'line\nline',
    '{{credential}} {{to}} {{ text }}',
    '$& $1 $$ $`',
    '</script>&amp;%0d%0a+=&To=%2B1',
    '锅炉 🔥',
  ])('is the text %j and nothing else, in JSON and in a form', async (text) => {
    const server = await gateway();
    await send(server, { text });
    const form = { url: server.url, contentType: 'form', body: 'To={{to}}&Body={{text}}&v=1' };
    await send(server, { text, settings: form });
    expect(server.received.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
    const [asJson, asForm] = server.received.map(({ body }) => body);
    expect(JSON.parse(asJson ?? '')).toEqual({ to: TO, message: { text } });
    expect([...new URLSearchParams(asForm)]).toEqual([
      ['To', TO],
      ['Body', text],
      ['v', '1'],
    ]);
  });

  it('has at most 480 characters, cut between characters, without control characters', async () => {
    const server = await gateway();
    await send(server, { text: '🔥'.repeat(600) });
    await send(server, { text: 'a\u0000\u001b[31m\r\nb' });
    const [long, odd] = server.texts().map(({ text }) => text);
    expect(long).toBe(`${'🔥'.repeat(479)}…`);
    expect(odd).toBe('a [31m \nb');
  });

  it('may be put, carry its id, and the key in its body', async () => {
    const server = await gateway();
    const settings = {
      url: server.url,
      method: 'PUT',
      headers: { 'Idempotency-Key': 'svc-{{id}}' },
      body: '{"messages":[{"to":["{{to}}"],"text":"{{ text }}","n":1}],"key":"{{credential}}","x":null}',
    };
    await send(server, { settings });
    const [got] = server.received;
    expect([got?.method, got?.headers['idempotency-key']]).toEqual(['PUT', 'svc-4711']);
    expect(JSON.parse(got?.body ?? '')).toEqual({
      messages: [{ to: [TO], text: 'Boiler: temperature is 91 °C', n: 1 }],
      key: KEY,
      x: null,
    });
  });
});

describe('an SMS channel', () => {
  const url = 'https://sms.example.com/send';
  const body = '{"to":"{{to}}","text":"{{text}}"}';
  const wrong = (settings: unknown, changes: Record<string, string> = {}) =>
    open().wrong({ target: TO, credential: KEY, settings, ...changes });

  it.each([
    '',
    '015112345678',
    '+0151123456',
    '+49',
    '+491511234567890123',
    '+49 151 1234567',
    '+49151123456,+491519999999',
    '+4915112345678\n',
    '４９15112345678',
    'tel:+4915112345678',
  ])('refuses %j as a number', (target) => {
    expect(wrong({ url, body }, { target })).toMatch(/E\.164/);
  });

  it.each([
    [{ body }, /^url/],
    [{ url: 'http://127.0.0.1/', body }, /address/],
    [{ url: 'https://sms.example.com/{{credential}}', body }, /^url must not hold placeholders/],
    [{ url: 'https://sms.example.com/?to={{to}}', body }, /^url must not hold placeholders/],
    [{ url, method: 'GET', body }, /^method/],
    [{ url, contentType: 'xml', body }, /^contentType/],
    [{ url }, /^body/],
    [{ url, body: '{"to":{{to}},"text":"{{text}}"}' }, /^body must be JSON/],
    [{ url, body: '{"to":"{{to}}"}' }, /^body must hold/],
    [{ url, body: '{"to":"{{to}}","text":"{{text}}","x":"{{secret}}"}' }, /^body may hold/],
    [{ url, body: '{"to":"{{to}}","text":"{{text}}","x":"{{constructor}}"}' }, /^body may hold/],
    [{ url, body: `"{{to}}{{text}}${'x'.repeat(5_000)}"` }, /^body/],
    [{ url, body: '{"to":"{{to}}","text":"{{credential}} {{ text }}"}' }, /^body must not hold/],
    [{ url, contentType: 'form', body: 'to={{to}}&x={{text}}{{credential}}' }, /must not hold/],
    [{ url, body, headers: { authorization: 'Bearer in-the-clear' } }, /^headers/],
    [{ url, body, headers: { host: 'inner' } }, /^headers/],
    [{ url, body, headers: { 'x-text': '{{text}}' } }, /^headers/],
    [{ url, body, headers: { 'x-a': 'a\r\nb' } }, /^headers/],
    [null, /./],
    [[], /./],
  ])('refuses the settings %j', (settings, reason) => {
    expect(wrong(settings)).toMatch(reason);
  });

  it.each(['short', 'with space', 'with\r\nline', 'x'.repeat(300), 'grün-grün'])(
    'refuses the credential %j',
    (credential) => {
      expect(wrong({ url, body }, { credential })).toMatch(/^credential/);
    },
  );

  it('can be kept without a credential, for a gateway of the house', () => {
    expect(wrong({ url, body }, { credential: '' })).toBe(null);
  });
});
