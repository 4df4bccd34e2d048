import type { Behaviour } from './behaviour.ts';
import { WORDS } from './behaviour.ts';
import { EVENTS, sends, sendsJson } from './sending.ts';

/** Bodies under 200 that are no answer, in any dialect. */
const NONE: readonly unknown[] = [
  { error: { message: WORDS, type: 'server_error' } },
  { error: WORDS },
  { error: { code: 'overloaded' } },
  { error: [WORDS] },
  { error: true },
  { error: 500 },
  [{ error: { code: 503, message: WORDS, status: 'UNAVAILABLE' } }],
  { errors: [{ message: WORDS }] },
  { object: 'error', message: WORDS, code: 50_001 },
  { type: 'error', error: { type: 'overloaded_error', message: WORDS } },
  { code: 500, msg: WORDS, success: false },
  { code: '500', message: WORDS },
  { choices: null, base_resp: { status_code: 1004, status_msg: WORDS } },
  { detail: WORDS },
  { detail: [{ loc: ['body'], msg: WORDS }] },
  { message: WORDS },
  { msg: WORDS },
  { status: 500, path: '/v1' },
  { success: false },
  {},
  [],
  null,
  true,
  42,
  '"a text"',
  '',
  ' \n',
  'OK',
  `upstream connect error: ${WORDS}`,
  '<!doctype html><html><body>Sign in</body></html>',
  '{"choices":[{"mess',
];
/** The same that say that the request is refused. */
const REFUSED_INSIDE: readonly unknown[] = [
  { error: { message: WORDS, code: 400 } },
  { error: { message: WORDS, type: 'invalid_request_error' } },
  { object: 'error', type: 'BadRequestError', message: WORDS, code: 422 },
  { type: 'error', error: { type: 'invalid_request_error', message: WORDS } },
  [{ error: { code: 400, message: WORDS, status: 'INVALID_ARGUMENT' } }],
];
const shown = (body: unknown): string =>
  (typeof body === 'string' ? JSON.stringify(body) : (JSON.stringify(body) ?? '')).slice(0, 60);
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Whether a body says that something failed, and is not only empty. */
const isError = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length > 0;

/** Answers that are none, with a status of success: the next provider has the turn, where the request is not refused. */
export const failuresUnder200 = (): Behaviour[] => [
  ...NONE.flatMap((body) => under200(body, 'fallback')),
  ...REFUSED_INSIDE.flatMap((body) => under200(body, 'refused')),
];

const under200 = (body: unknown, expected: Behaviour['expected']): Behaviour[] =>
  [
    { name: `JSON ${shown(body)}`, reply: sendsJson(body) },
    { name: `event ${shown(body)}`, reply: sends([`data: ${textOf(body)}\n\n`]) },
    { name: `bytes as events ${shown(body)}`, reply: sends([textOf(body)], { type: EVENTS }) },
  ].map((one): Behaviour => ({ rule: 'no answer under 200', kind: 'text', expected, ...one }));

/** The same after some text of an answer, where they say that something failed. */
export const failuresAfter = (begun: readonly string[], rest: readonly string[]): Behaviour[] => [
  ...NONE.filter(isError).map((body): Behaviour => ({
    rule: 'failure after some text',
    name: shown(body),
    kind: 'text',
    expected: 'broken',
    reply: sends([...begun, `data: ${textOf(body)}\n\n`, ...rest]),
  })),
  {
    rule: 'failure after some text',
    name: 'the end of the body',
    kind: 'text',
    expected: 'broken',
    reply: sends(begun),
  },
  {
    rule: 'failure after some text',
    name: 'half an event',
    kind: 'text',
    expected: 'broken',
    reply: sends([...begun, (rest[0] ?? '').slice(0, 20)]),
  },
  {
    rule: 'failure after some text',
    name: 'a broken connection',
    kind: 'text',
    expected: 'broken',
    reply: sends(begun, {}, 'hangs up'),
  },
  {
    rule: 'failure after some text',
    name: 'silence',
    kind: 'text',
    expected: 'broken',
    reply: sends(begun, {}, 'stays'),
  },
];

const STATUSES = [
  300, 301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 421, 422,
  423, 424, 425, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507, 511, 520, 522, 524, 529, 598,
];
/** The request itself is refused: another provider would not mend it. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const BODIES: readonly (readonly [string, string, string])[] = [
  [
    'the dialect’s error',
    JSON.stringify({ type: 'error', error: { type: 'x', message: WORDS } }),
    'application/json',
  ],
  ['an error as text', JSON.stringify({ error: WORDS }), 'application/json'],
  ['a detail', JSON.stringify({ detail: WORDS }), 'application/json'],
  ['plain words', WORDS, 'text/plain'],
  ['a page', `<html><body>${WORDS}</body></html>`, 'text/html'],
  ['a body that is cut', `{"error":{"message":"${WORDS}`, 'application/json'],
];

/** Every status beside those of success; the bodies take turns. */
export const statuses = (): Behaviour[] =>
  STATUSES.flatMap((status, at): Behaviour[] => {
    const isRefused = REFUSED.has(status);
    // Where words are to be named, every form of them is tried.
    const bodies = isRefused ? BODIES : BODIES.slice(at % BODIES.length).slice(0, 1);
    return bodies.map(([name, body, type]) => ({
      rule: 'status',
      name: `${status} with ${name}`,
      kind: 'text' as const,
      expected: isRefused ? ('refused' as const) : ('fallback' as const),
      reply: sends([body], {
        status,
        type,
        headers: { 'retry-after-ms': '1', ...(status < 400 ? { location: '/elsewhere' } : {}) },
      }),
    }));
  });

/** Connections without an answer. */
export const connections = (): Behaviour[] => [
  {
    rule: 'connection',
    name: 'broken before the head',
    kind: 'text',
    expected: 'fallback',
    reply: (res) => void res.destroy(),
  },
  {
    rule: 'connection',
    name: 'broken after the head',
    kind: 'text',
    expected: 'fallback',
    reply: sends([], {}, 'hangs up'),
  },
  {
    rule: 'connection',
    name: 'silent after the head',
    kind: 'text',
    expected: 'fallback',
    reply: sends([], {}, 'stays'),
  },
  {
    rule: 'connection',
    name: 'silent before the head',
    kind: 'text',
    expected: 'fallback',
    reply: () => {},
  },
  {
    rule: 'connection',
    name: 'no content',
    kind: 'text',
    expected: 'fallback',
    reply: sends([], { status: 204 }),
  },
  {
    rule: 'connection',
    name: 'shorter than its length',
    kind: 'text',
    expected: 'fallback',
    reply: sends(
      ['{"id"'],
      { type: 'application/json', headers: { 'content-length': '500' } },
      'hangs up',
    ),
  },
];
