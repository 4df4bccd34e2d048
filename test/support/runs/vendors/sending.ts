import { gzipSync } from 'node:zlib';

import type { Reply } from '../../neighbours/model.ts';
import type { Behaviour, Expected } from './behaviour.ts';
import type { Json } from './odd.ts';

export const EVENTS = 'text/event-stream';
const JSON_TYPE = 'application/json';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Head = { status?: number; type?: string | null; headers?: Record<string, string> };

/** Sends these bytes part by part, and then ends, hangs up or waits. */
export const sends =
  (
    parts: readonly (string | Buffer)[],
    { status = 200, type = EVENTS, headers = {} }: Head = {},
    end: 'ends' | 'hangs up' | 'stays' = 'ends',
  ): Reply =>
  async (res) => {
    res.writeHead(status, { ...(type === null ? {} : { 'content-type': type }), ...headers });
    res.flushHeaders();
    for (const part of parts) {
      if (res.destroyed) return;
      if (part.length > 0) res.write(part);
      await soon();
    }
    if (end === 'ends') res.end();
    // What was written is on its way before the connection breaks.
    else if (end === 'hangs up') setTimeout(() => res.destroy(), 20);
  };

export const sendsJson = (body: unknown, head: Head = {}): Reply =>
  sends([typeof body === 'string' ? body : JSON.stringify(body)], { type: JSON_TYPE, ...head });

/** An answer of some text as JSON, as events, or both. */
export type Case = { name: string; expected: Expected; json?: Json; events?: readonly Json[] };

/** The behaviours of cases; `framed`: their events as a dialect writes them. */
export const casesAs =
  (framed: (events: readonly Json[]) => string[]) =>
  (rule: string, given: readonly Case[]): Behaviour[] =>
    given.flatMap(({ name, expected, json, events }) => {
      const made = (how: string, reply: Reply): Behaviour => ({
        rule,
        name: `${how}, ${name}`,
        kind: 'text',
        expected,
        reply,
      });
      const whole = json === undefined ? null : sendsJson(json);
      return [
        ...(whole ? [made('JSON', whole)] : []),
        ...(whole ? [{ ...made('JSON without streaming', whole), streams: false }] : []),
        ...(events ? [made('events', sends(framed(events)))] : []),
      ];
    });

/** The behaviours of a rule about calls. */
export const callsOf =
  (rule: string) =>
  (name: string, reply: Reply, expected: Expected = 'answer'): Behaviour => ({
    rule,
    name,
    kind: 'calls',
    expected,
    reply,
  });

/** The bytes of a text in pieces of a size, through characters as well. */
function pieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) all.push(bytes.subarray(at, at + size));
  return all;
}

const escaped = (text: string): string =>
  text.replaceAll(
    /[^\x20-\x7e\n]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Ways in which the same events can come; each is to be read as the events are. */
export const framings: readonly (readonly [string, (events: readonly string[]) => Reply])[] = [
  ['in one piece', (events) => sends([events.join('')])],
  ...[1, 2, 3, 7, 64].map(
    (size) =>
      [
        `in pieces of ${size} bytes`,
        (events: readonly string[]) => sends(pieces(events.join(''), size)),
      ] as const,
  ),
  ['with CRLF', (events) => sends(events.map((one) => one.replaceAll('\n', '\r\n')))],
  [
    'with CRLF, byte by byte',
    (events) => sends(pieces(events.join('').replaceAll('\n', '\r\n'), 1)),
  ],
  ['with CR', (events) => sends(events.map((one) => one.replaceAll('\n', '\r')))],
  ['after a byte order mark', (events) => sends(['\uFEFF', ...events])],
  ['with comments', (events) => sends(events.flatMap((one) => [': keep-alive\n\n', one, ':\n']))],
  [
    'without a space after the colon',
    (events) => sends(events.map((one) => one.replace(/^data: /m, 'data:'))),
  ],
  [
    'with ids and retries',
    (events) => sends(events.map((one, at) => `id: ${at}\nretry: 1\n${one}`)),
  ],
  ['with a field that is none', (events) => sends(events.map((one) => `odd: 1\n${one}`))],
  [
    'with empty events between',
    (events) => sends(events.flatMap((one) => [one, 'data:\n\n', 'data: \n\n'])),
  ],
  ['with blank lines between', (events) => sends(events.flatMap((one) => ['\n\n\n', one]))],
  ['in ASCII', (events) => sends(events.map(escaped))],
  [
    'over several lines of data',
    (events) =>
      sends(
        events.map((one) =>
          one.replace(/^data: (\{.*\})$/m, (_line, json: string) =>
            JSON.stringify(JSON.parse(json), null, 1)
              .split('\n')
              .map((line) => `data: ${line}`)
              .join('\n'),
          ),
        ),
      ),
  ],
  ...[
    'text/event-stream; charset=utf-8',
    'Text/Event-Stream',
    'text/plain',
    'application/octet-stream',
    'application/json',
    'application/x-ndjson',
    null,
  ].map(
    (type) =>
      [`as ${type ?? 'no type'}`, (events: readonly string[]) => sends(events, { type })] as const,
  ),
  ...[201, 202, 203, 206].map(
    (status) =>
      [`with status ${status}`, (events: readonly string[]) => sends(events, { status })] as const,
  ),
  [
    'with a length',
    (events) => {
      const body = Buffer.from(events.join(''));
      return sends([body], { headers: { 'content-length': String(body.length) } });
    },
  ],
];

/** Ways in which no reader has to understand the same events. */
export const openFramings: readonly (readonly [string, (events: readonly string[]) => Reply])[] = [
  [
    'compressed, which no request asks for',
    (events) => sends([gzipSync(events.join(''))], { headers: { 'content-encoding': 'gzip' } }),
  ],
  [
    'as lines of JSON',
    (events) =>
      sends(
        events.map((one) => `${/^data: (.*)$/m.exec(one)?.[1] ?? ''}\n`),
        { type: 'application/x-ndjson' },
      ),
  ],
];
