import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Delivery } from '../../src/alarm/channel/delivery/channel.ts';
import { email } from '../../src/alarm/channel/email.ts';
import { certificate } from '../support/neighbours/certificate.ts';
import { channelEgress } from '../support/neighbours/channel-egress.ts';
import { delivery } from '../support/neighbours/delivery.ts';
import { type MailServer, startMailServer } from '../support/neighbours/mail-server.ts';
import { startRawServer } from '../support/neighbours/raw-server.ts';
import { TestClock } from '../support/world/clock.ts';

const signal = new AbortController().signal;
const LOGIN = { user: 'operator', password: 'p4ssword' };

function open(url: string | null, from = 'platform@example.com') {
  const egress = channelEgress([]);
  const mail = url ? { url, from } : null;
  return email({ egress, mail, clock: new TestClock() });
}

async function receive(options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> {
  const server = await startMailServer(options);
  onTestFinished(() => server.stop());
  return server;
}

const send = (url: string | null, changes: Partial<Delivery> = {}, from?: string) =>
  open(url, from).deliver(
    delivery({ target: 'anna@example.com', credential: '', settings: {}, ...changes }),
    signal,
  );

describe('a mail', () => {
  it('goes to one receiver as plain text that no machine answers', async () => {
    const server = await receive();
    expect(await send(server.url)).toEqual({
      status: 'delivered',
      answer: '250 OK: message queued',
    });
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({
      from: 'platform@example.com',
      to: ['anna@example.com'],
      text: 'Boiler: temperature is 91 °C',
      headers: {
        from: 'platform@example.com',
        to: 'anna@example.com',
        subject: 'P0 fired: Too hot',
        date: 'Mon, 05 Jan 2026 08:00:01 +0000',
        'message-id': '<4711@example.com>',
        'auto-submitted': 'auto-generated',
        'content-type': 'text/plain; charset=utf-8',
      },
    });
  });

  it('sent twice has one Message-ID, by which a receiver knows it', async () => {
    const server = await receive();
    await send(server.url);
    await send(server.url, { at: Date.parse('2026-01-05T08:05:00Z') });
    const ids = server.mails.map(({ headers }) => headers['message-id']);
    expect(ids).toEqual(['<4711@example.com>', '<4711@example.com>']);
  });

  it.each([
    'Hot\r\nBcc: eve@example.com',
    'Hot\nX-Injected: yes',
    'Hot\rBcc: eve@example.com',
    'Hot\u2028Bcc: eve@example.com',
    'Hot\u0000\r\n\r\nA body of its own\r\n.\r\nMAIL FROM:<eve@example.com>',
  ])('keeps the subject %j on its line', async (subject) => {
    const server = await receive();
    await send(server.url, { subject });
    const [mail] = server.mails;
    expect(Object.keys(mail?.headers ?? {}).toSorted()).toEqual([
      'auto-submitted',
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect([server.mails.length, mail?.to]).toEqual([1, ['anna@example.com']]);
  });

  it('keeps names in any script in the subject, and its length within bounds', async () => {
    const server = await receive();
    await send(server.url, { subject: `Kessel heiß 锅炉 ${'x'.repeat(500)}` });
    const words = server.mails[0]?.headers['subject'] ?? '';
    expect(words).toMatch(/^=\?UTF-8\?/);
    expect(words.length).toBeLessThan(500);
  });

  it.each([
    'a\r\n.\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<eve@example.com>\r\nDATA\r\nb',
    '.\r\n..\r\n.',
    'a\n.\nQUIT\n',
    '\ud800 broken',
    '',
  ])('carries the text %j as text', async (text) => {
    const server = await receive();
    expect((await send(server.url, { text })).status).toBe('delivered');
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.text).toBe(text.toWellFormed().replaceAll(/\r?\n/g, '\r\n').trimEnd());
  });

  it('cannot be told another Message-ID by the id of its delivery', async () => {
    const server = await receive();
    await send(server.url, { id: '1>\r\nBcc: eve@example.com' });
    expect(server.mails[0]?.headers['message-id']).toBe('<1---Bcc--eve-example-com@example.com>');
  });
});

describe('a receiver', () => {
  it.each([
    'a@b.test\r\nRCPT TO:<evil@x.test>',
    'a@b.test\nRCPT TO:<evil@x.test>',
    'a@b.test>\r\nRCPT TO:<evil@x.test',
    'a@b.test;evil@x.test',
    'a@b.test,',
    'a@b.test,,c@d.test',
    'a@b.test, evil',
    'Anna <a@b.test>, Eve <evil',
    'Anna <a@b.test> <evil@x.test>',
    'Anna <a@b.test>\r\nBcc: <evil@x.test>',
    'An\nna <a@b.test>',
    'An\u202Ena <a@b.test>',
    '"Anna" "Eve" <a@b.test>',
    'evil@x.test <a@b.test>',
    'a@b.\u200Btest',
    'a@grün.test\r\nRCPT TO:<evil@x.test>',
    'a@grün.te\nst',
    'a@grün.test%0d%0aRCPT',
    '"a b"@b.test',
    '"a\\"@b.test',
    'a@b.test\t',
    'a@b@c.test',
    'a@[127.0.0.1]',
    'a@localhost',
    '@b.test',
    'a',
    'grün@b.test',
    `${'a'.repeat(250)}@b.test`,
    'a@b.test\0',
  ])('%j is refused, and nothing is sent', async (target) => {
    const server = await receive();
    const channel = open(server.url);
    expect(channel.wrong({ target, credential: '', settings: {} })).toMatch(
      /^the receiver “.*” is no mail address/,
    );
    expect(await send(server.url, { target })).toMatchObject({ status: 'refused' });
    expect(server.mails).toEqual([]);
  });
});

describe('receivers', () => {
  it('are several, with names and in other letters, in one mail', async () => {
    const server = await receive();
    const target = 'anna@example.com,"Shift lead" <lead@grün.test>, Jürgen <j@example.рф>';
    const from = 'Plant Grün <platform@grün.test>';
    expect((await send(server.url, { target }, from)).status).toBe('delivered');
    // The mail server shows domains in their own letters.
    const addresses = ['anna@example.com', 'lead@grün.test', 'j@example.рф'];
    expect(server.mails).toMatchObject([{ from: 'platform@grün.test', to: addresses }]);
    const headers = server.mails[0]?.headers ?? {};
    expect(headers['to']).toMatch(
      /^anna@example\.com, Shift lead <lead@xn--grn-ioa\.test>, =\?UTF-8\?.+\?= <j@example\.xn--p1ai>$/,
    );
    expect(headers['from']).toMatch(/^=\?UTF-8\?.+\?= <platform@xn--grn-ioa\.test>$/);
    expect(headers['message-id']).toBe('<4711@xn--grn-ioa.test>');
  });

  it('are 20 at most, and the first wrong one is named', () => {
    const wrong = (target: string) => open(null).wrong({ target, credential: '', settings: {} });
    const many = Array.from({ length: 20 }, (_, n) => `a${n}@example.com`);
    expect(wrong(many.join(','))).toBe(null);
    expect(wrong([...many, 'b@example.com'].join(','))).toBe('a channel has 20 receivers at most');
    expect(wrong('a@b.test, An”na <a@b>, c')).toMatch(/^the receiver “An'na <a@b>” is no mail/);
  });

  it('of which the server refuses some, get the mail, and the answer names those', async () => {
    const server = await receive();
    const refusal = { code: 550, text: 'no such user' };
    server.answer({ receiver: (address) => (address === 'gone@b.test' ? refusal : null) });
    expect(await send(server.url, { target: 'a@b.test, gone@b.test' })).toEqual({
      status: 'delivered',
      answer: 'Not taken for gone@b.test: 550 no such user',
    });
    expect(server.mails).toMatchObject([{ to: ['a@b.test'] }]);
  });

  it('that are to try again are left, and get the mail alone', async () => {
    const server = await receive();
    const refusal = { code: 451, text: 'not now' };
    server.answer({ receiver: (address) => (address === 'late@b.test' ? refusal : null) });
    const target = 'a@b.test, late@b.test';
    const left = ['late@b.test'];
    const reason = 'Not taken for late@b.test: 451 not now';
    expect(await send(server.url, { target })).toEqual({ status: 'unreachable', reason, left });
    expect(await send(server.url, { target, left })).toMatchObject({ status: 'unreachable' });
    server.answer({ receiver: () => ({ code: 550, text: 'gone' }) });
    const answer = 'Not taken for late@b.test: The mail server answered: 550 gone';
    expect(await send(server.url, { target, left })).toEqual({ status: 'delivered', answer });
    server.answer({});
    expect(await send(server.url, { target, left })).toMatchObject({ status: 'delivered' });
    expect(server.mails.map(({ to }) => to)).toEqual([['a@b.test'], left]);
  });
});

describe('the mail server', () => {
  it.each([
    [421, 'unreachable'],
    [450, 'unreachable'],
    [451, 'unreachable'],
    [452, 'unreachable'],
    [550, 'refused'],
    [552, 'refused'],
    [553, 'refused'],
    [554, 'refused'],
  ])(
    'that answers %i makes it %s, at the sender, the receiver and the message',
    async (code, expected) => {
      const server = await receive();
      const refusal = { code, text: 'no\r\nthanks' };
      for (const stage of ['sender', 'receiver', 'data']) {
        server.answer({ [stage]: () => refusal });
        const outcome = await send(server.url);
        expect([stage, outcome.status]).toEqual([stage, expected]);
        expect('reason' in outcome && outcome.reason).toMatch(`The mail server answered: ${code} `);
      }
      expect(server.mails).toEqual([]);
    },
  );

  it('that takes the message and goes without a word may get it again', async () => {
    const server = await receive();
    server.answer({ data: () => 'drop' });
    expect(await send(server.url)).toMatchObject({ status: 'unreachable' });
  });

  it('that is not there may be there later', async () => {
    const server = await startMailServer();
    await server.stop();
    expect(await send(server.url)).toMatchObject({ status: 'unreachable' });
  });

  it('that is not configured is named by its variable; a channel can be kept all the same', async () => {
    const refused = { status: 'refused', reason: 'no mail server is configured (SVC_SMTP_URL)' };
    expect(await send(null)).toEqual(refused);
    expect(open(null).wrong({ target: 'a@b.test', credential: '', settings: {} })).toBe(null);
  });

  it('gets the login of its URL', async () => {
    const server = await receive({ login: { user: 'operator', password: 'p%ss wörd' } });
    const url = server.url.replace('p%ss wörd', encodeURIComponent('p%ss wörd'));
    expect((await send(url)).status).toBe('delivered');
    expect(server.mails[0]?.user).toBe('operator');
  });

  it('that refuses the login is told of without the login', async () => {
    const server = await receive({ login: { user: 'operator', password: 'right-password' } });
    const outcome = await send(server.url.replace('right-password', 'wrong-password'));
    expect(outcome).toEqual({
      status: 'refused',
      reason: 'The mail server refuses the login (535)',
    });
  });
});

describe('TLS', () => {
  it.each(['?tls=required', ''])(
    'whose certificate nobody signed ends the try, before login and message %s',
    async (query) => {
      const server = await receive({ tls: true, login: LOGIN });
      expect(await send(`${server.url}${query}`)).toMatchObject({ status: 'unreachable' });
      expect(server.mails).toEqual([]);
    },
  );

  it('that was asked for and is not offered ends the try, before login and message', async () => {
    const server = await receive({ login: LOGIN });
    expect(await send(`${server.url}?tls=required`)).toEqual({
      status: 'unreachable',
      reason: 'The mail server offers no TLS',
    });
    expect(server.mails).toEqual([]);
  });

  it('is required of every server but one on loopback, unless the operator says otherwise', async () => {
    const said: string[] = [];
    const plain = await startRawServer((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (bytes) => {
        said.push(String(bytes).split(' ')[0]?.trim() ?? '');
        socket.write(said.at(-1) === 'STARTTLS' ? '502 no\r\n' : '250 here\r\n');
      });
    });
    onTestFinished(() => plain.stop());
    // Linux connects it to loopback, but it is not the name of it.
    const url = `smtp://0.0.0.0:${plain.port}`;
    expect(await send(url)).toMatchObject({
      status: 'unreachable',
      reason: 'The mail server offers no TLS',
    });
    expect(said).toEqual(['EHLO', 'STARTTLS']);
    said.length = 0;
    await send(`${url}?tls=off`);
    expect(said.slice(0, 2)).toEqual(['EHLO', 'MAIL']);
  });

  it('that can be trusted carries login and message', async () => {
    const server = await receive({ tls: true, login: LOGIN });
    const usual = getCACertificates('default');
    setDefaultCACertificates([...usual, certificate.cert]);
    onTestFinished(() => setDefaultCACertificates(usual));
    expect((await send(`${server.url}?tls=required`)).status).toBe('delivered');
    expect(server.mails[0]).toMatchObject({ secure: true, user: 'operator' });
  });

  it('is not used where the operator switched it off', async () => {
    const server = await receive({ tls: true });
    expect((await send(`${server.url}?tls=off`)).status).toBe('delivered');
    expect(server.mails[0]?.secure).toBe(false);
  });
});
