import { deflateSync, gzipSync } from 'node:zlib';

import type { Sent } from './http.ts';
import type { Random } from './random.ts';
import { jsonOf } from './values.ts';

const JSON_TYPE = ['content-type', 'application/json'];
const MEGABYTE = 'x'.repeat(1024 * 1024);
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));

type Target = { method: string; path: string; headers: readonly string[]; body: unknown };
type Garbage = (target: Target, random: Random) => Sent;

const withBody =
  (
    change: (text: string, random: Random) => string | Buffer,
    more: readonly string[] = JSON_TYPE,
  ) =>
  ({ path, headers, body }: Target, random: Random): Sent => ({
    method: 'POST',
    path,
    headers: [...headers, ...more],
    body: change(jsonOf(body), random),
  });

const withPath =
  (change: (path: string, random: Random) => string): Garbage =>
  ({ method, path, headers, body }, random) => ({
    method,
    path: change(path, random),
    headers: [...headers, ...JSON_TYPE],
    ...(method === 'POST' ? { body: jsonOf(body) } : {}),
  });

const TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-7',
  'application/json; charset="',
  'application/json; charset=utf-16',
  'application/vnd.api+json',
  'application/json, text/plain',
  ';',
  '*/*',
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'identity', 'x', 'compress'];
const QUERIES = [
  '%zz',
  '%',
  'id=%c0%af',
  'id=%ff%fe',
  'id=%00',
  'id=1&id=2',
  'id[]=1&id[$gt]=',
  'id[__proto__][x]=1',
  '__proto__=1&constructor=2',
  'page=1&size=x',
  'a&&&=&b',
  'id=%EF%BF%BD%ED%A0%80',
  '?????',
  `id=${'9'.repeat(4_000)}`,
  Array.from({ length: 1_500 }, (_, index) => `p${index}=1`).join('&'),
];
const METHODS = [
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'HEAD',
  'PROPFIND',
  'LOCK',
  'SEARCH',
];

/** What is wrong before anybody looks at a field. */
const GARBAGE: readonly Garbage[] = [
  (target, random) =>
    withBody((text) => text, ['content-type', random.pick(TYPES)])(target, random),
  withBody((text) => text, []),
  withBody((text, random) => text.slice(0, random.upTo(text.length))),
  withBody((text) => `${text}${text}`),
  withBody(() => ''),
  withBody(() => '['.repeat(100_000)),
  withBody(() => `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`),
  withBody(() => `{"id":${'9'.repeat(50_000)}}`),
  withBody(() => '{"id":1e400,"size":-1e400,"current":1E+308}'),
  withBody((text) => `{"__proto__":${text},"constructor":{"prototype":${text}}}`),
  withBody((text) => `{"id":1,"id":2,"id":${text}}`),
  withBody((text) => text.replaceAll(':', ':\0')),
  withBody((text) => `\uFEFF${text}`),
  withBody((text) => Buffer.from(text, 'utf16le')),
  withBody((_, random) => random.bytes(1 + random.upTo(200))),
  withBody((text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xc0, 0xed, 0xa0])])),
  withBody(() => `{"remark":"${MEGABYTE}"}`),
  withBody(() => `{"remark":"${'\\ud800'.repeat(1000)}"}`),
  withBody((_, random) =>
    random.pick(['1', '"x"', 'null', 'true', '[]', '{}', 'undefined', 'NaN']),
  ),
  withBody(() => BOMB, [...JSON_TYPE, 'content-encoding', 'gzip']),
  withBody((text) => gzipSync(text).subarray(0, 20), [...JSON_TYPE, 'content-encoding', 'gzip']),
  withBody((text) => deflateSync(text), [...JSON_TYPE, 'content-encoding', 'deflate']),
  (target, random) =>
    withBody((text) => text, [...JSON_TYPE, 'content-encoding', random.pick(ENCODINGS)])(
      target,
      random,
    ),
  withBody((text) => text, [...JSON_TYPE, 'content-type', 'text/plain']),
  (target, random) => ({
    method: random.pick(METHODS),
    path: target.path,
    headers: [...target.headers, ...JSON_TYPE],
    ...(random.chance(0.5) ? { body: jsonOf(target.body) } : {}),
  }),
  (target) => ({
    ...target,
    method: target.method === 'GET' ? 'POST' : 'GET',
    headers: [...target.headers, ...JSON_TYPE],
    body: jsonOf(target.body),
  }),
  (target) => ({ ...target, headers: [...target.headers, ...target.headers], body: undefined }),
  withPath((path, random) => `${path}?${random.pick(QUERIES)}`),
  withPath((path, random) => `${path}?id=${encodeURIComponent(jsonOf(random.upTo(1e9)))}%`),
  withPath((path, random) =>
    path.replace('/v3/', random.pick(['//', '/v3/../', '/%2e%2e/', '/V3/'])),
  ),
  withPath(
    (path, random) => `${path}${random.pick(['/', '//', '%', '%2F', '%00', ';a=b', '/../..'])}`,
  ),
  withPath((path) => path.slice(0, -1)),
  withPath((path) => `${path}/${'a'.repeat(15_000)}`),
  (target, random) => ({
    method: target.method,
    path: target.path,
    headers: [
      ...target.headers,
      ...random.pick([
        ['x-request-id', 'a'.repeat(10_000)],
        ['x-request-id', '\u00ff\u00fe'],
        ['accept', 'text/html;q=x'],
        ['accept-encoding', '*;q=2'],
        ['expect', 'x'],
        ['range', 'bytes=0-'],
        ['if-none-match', '*'],
        ['x-http-method-override', 'DELETE'],
        ['x-forwarded-for', "' or 1=1"],
        ['x-forwarded-host', 'evil.example'],
        ['connection', 'x-auth-token, x-auth-tenant'],
        ['upgrade', 'websocket'],
        ['x-big', 'b'.repeat(15_000)],
      ]),
    ],
    ...(target.method === 'POST' ? { body: jsonOf(target.body) } : {}),
  }),
];

/** The same request made unreadable in one of many ways. */
export const garbage = (target: Target, random: Random): Sent =>
  random.pick(GARBAGE)(target, random);

/** Requests no HTTP library would write; `auth` are the header lines of a login. */
export function rawGarbage(path: string, auth: string, random: Random): string | Buffer {
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${auth}`;
  return random.pick([
    `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
    `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nffffffffff\r\n{}`,
    `${head}transfer-encoding: chunked, identity\r\n\r\n{}`,
    `${head}content-length: -1\r\n\r\n{}`,
    `${head}content-length: 99999999999999999999\r\n\r\n{}`,
    `${head}content-length: 200\r\n\r\n{}`,
    `${head}x: a\u0000b\r\n\r\n`,
    `${head} folded: 1\r\n\r\n`,
    `${head}\n\n`,
    `${head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
    `POST ${path} HTTP/9.9\r\n\r\n`,
    `POST ${path}\r\n\r\n`,
    `GET http://evil.example${path} HTTP/1.1\r\nhost: evil.example\r\n${auth}\r\n`,
    `GET * HTTP/1.1\r\nhost: x\r\n\r\n`,
    `GET ${path}\u00ff\u00fe HTTP/1.1\r\nhost: x\r\n${auth}\r\n`,
    `CONNECT ${path} HTTP/1.1\r\nhost: x\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n\r\n`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    random.bytes(100),
    Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1]), random.bytes(300)]),
  ]);
}
