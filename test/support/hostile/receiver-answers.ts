import { gzipSync } from 'node:zlib';

import type { Random } from './random.ts';

const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
const HEADERS = [
  'retry-after: -1',
  'retry-after: 99999999999999999999',
  'retry-after: Thu, 01 Jan 1970 00:00:00 GMT',
  'retry-after: \u00ff',
  'location: http://127.0.0.1:1/',
  'location: //',
  'content-encoding: gzip, gzip, gzip',
  'content-encoding: x',
  'content-type: \u0000',
  'set-cookie: a=b',
  'connection: upgrade\r\nupgrade: h2c',
  'connection: keep-alive\r\nkeep-alive: timeout=99999999',
  'trailer: x',
  'x: y\r\n folded',
  ': nameless',
  'x y: z',
  `x: ${'y'.repeat(12_000)}`,
  `x: ${'y'.repeat(90_000)}`,
  ...Array.from({ length: 3 }, (_, i) => `h${i}: v\r\n`.repeat(500 * (i + 1)).trimEnd()),
];
const STATUS = [
  '200 OK',
  '204',
  '205 Reset',
  '304 Not Modified',
  '399 x',
  '400 \u0000',
  '407 Proxy',
  '410 Gone',
  '418',
  '429 x',
  '500 x',
  '599 x',
  '600 x',
  '999 x',
  '000 x',
  '1000 x',
  '-1 x',
  'x x',
  `200 ${'x'.repeat(10_000)}`,
];

/** One answer to a webhook, as bytes; ends the connection after it or leaves it open. */
export function httpAnswer(random: Random, secret: string): { bytes: Buffer; isLast: boolean } {
  const body = random.pick([
    '',
    'ok',
    secret,
    `you sent ${secret}`,
    secret.slice(0, -1),
    '\u0000\u001b[2J\u202e',
    'x'.repeat(100_000),
    '{"a":'.repeat(10_000),
  ]);
  const head = `HTTP/1.1 ${random.pick(STATUS)}\r\n${random.chance(0.6) ? `${random.pick(HEADERS)}\r\n` : ''}`;
  const length = Buffer.byteLength(body);
  const text = random.pick<() => string | Buffer>([
    () => `${head}content-length: ${length}\r\n\r\n${body}`,
    () => `${head}content-length: ${length}\r\n\r\n${body}`,
    () => `${head}\r\n${body}`,
    () => `${head}content-length: ${length + 5}\r\n\r\n${body}`,
    () => `${head}content-length: 1\r\n\r\n${body}`,
    () => `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n${body}`,
    () => `${head}content-length: -1\r\n\r\n${body}`,
    () => `${head}content-length: 99999999999999999999\r\n\r\n${body}`,
    () => `${head}transfer-encoding: chunked\r\n\r\n${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    () => `${head}transfer-encoding: chunked\r\n\r\nzz\r\n${body}`,
    () => `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n${body}`,
    () => `${head}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n`,
    () => Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), BOMB]),
    () => `${head}content-encoding: gzip\r\n\r\nnot gzip`,
    () => `HTTP/1.1 100 Continue\r\n\r\n`.repeat(1 + random.upTo(2_000)),
    () => `HTTP/1.1 103 Early\r\n\r\n${head}content-length: 0\r\n\r\n`,
    () =>
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\u0081\u0001x',
    () => `${head}content-length: 0\r\n\r\n${head}content-length: 0\r\n\r\n`,
    () => 'HTTP/0.9 200\r\n\r\n',
    () => 'HTTP/2.0 200 OK\r\n\r\n',
    () => 'ICY 200 OK\r\n\r\n',
    () => '<html>no HTTP</html>',
    () => random.bytes(1 + random.upTo(400)),
    () => Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1]), random.bytes(300)]),
    () => Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0]),
    () => '',
  ])();
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const cut = random.chance(0.1) ? bytes.subarray(0, random.upTo(bytes.length + 1)) : bytes;
  return { bytes: cut, isLast: random.chance(0.7) };
}

/** What a mail server says to one command; `null` is the end of the connection. */
export function smtpReply(random: Random, command: string, secret: string): Buffer | null {
  if (random.chance(0.6)) return Buffer.from(polite(random, command));
  const code = random.pick(['220', '250', '354', '334', '421', '450', '535', '550', '554', '999']);
  const reply = random.pick<() => string | Buffer | null>([
    () => `${code} ${secret}\r\n`,
    () => `${code} ${Buffer.from(secret).toString('base64')}\r\n`,
    () => `${code}\r\n`,
    () => `${code} x\n`,
    () => `${code}-more\r\n`,
    () => `${code}-more\r\n`.repeat(20_000),
    () => `${code} ${'x'.repeat(200_000)}\r\n`,
    () => 'x'.repeat(500_000),
    () => `${code} one\r\n${code} two\r\n${code} three\r\n`,
    () => `000 x\r\n`,
    () => `-1 x\r\n`,
    () => `2\r\n`,
    () => `250-AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2\r\n250-SIZE 1\r\n250 STARTTLS\r\n`,
    () => `250-SIZE ${'9'.repeat(50)}\r\n250-AUTH\r\n250 SMTPUTF8\r\n`,
    () => `334 ${random.bytes(30).toString('base64')}\r\n`,
    () => `${code} \u0000\u001b[2J\u202e\u00ff\r\n`,
    () => random.bytes(1 + random.upTo(300)),
    () => '\r\n\r\n\r\n',
    () => '',
    () => null,
  ])();
  return typeof reply === 'string' ? Buffer.from(reply, 'latin1') : reply;
}

/** What keeps the conversation going, so that later commands are met too. */
function polite(random: Random, command: string): string {
  if (command === '') return '220 here\r\n';
  if (/^EHLO/i.test(command))
    return random.pick(['250-here\r\n250 AUTH PLAIN\r\n', '250 here\r\n']);
  if (/^AUTH/i.test(command)) return '235 you are\r\n';
  if (/^DATA/i.test(command)) return '354 go on\r\n';
  return '250 well\r\n';
}
