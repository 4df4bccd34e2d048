import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import type { Clock } from '../../src/kernel/clock.ts';
import { AppError, TooManyRequests, Unavailable, Unprocessable } from '../../src/kernel/errors.ts';

const MAX_ERROR_BODY = 4_096;
const DEFAULT_RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 3_600;

/** A vendor's answer that is no answer of a model; the `cause` of the AppError that says it neutrally. */
export class VendorRefusal extends Error {
  override readonly name = 'VendorRefusal';
  /** Of the response, or what an error under 200 means by it. */
  readonly status: number;
  /** The vendor's own words, without the key. */
  text: string;
  /** The wait the vendor asks for; null when it names none. */
  readonly retryAfterMs: number | null;
  /** Private: it holds texts of people, and a logged error shows its public fields. */
  #sent: Readonly<Record<string, unknown>> = {};

  /** Of the response itself. */
  readonly httpStatus: number;

  constructor(
    status: number,
    text: string,
    retryAfterMs: number | null = null,
    httpStatus = status,
  ) {
    super(`HTTP ${httpStatus}: ${text}`);
    this.status = status;
    this.httpStatus = httpStatus;
    this.text = text;
    this.retryAfterMs = retryAfterMs;
  }

  /** The body that was refused. */
  get sent(): Readonly<Record<string, unknown>> {
    return this.#sent;
  }

  set sent(body: Readonly<Record<string, unknown>>) {
    this.#sent = body;
  }
}

/** The error for a response other than 200. */
export async function refused(response: IncomingMessage, clock: Clock): Promise<AppError> {
  const status = response.statusCode ?? 0;
  const { headers } = response;
  const after = {
    seconds: headers['retry-after'],
    ms: single(headers['retry-after-ms']),
  };
  const text = await beginning(response);
  return refusal(new VendorRefusal(status, text, waitOf(after, clock)));
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** The wait in ms that `retry-after-ms`, else `retry-after` (RFC 9110, 10.2.3: seconds or a date) asks for. */
export function waitOf(
  { ms, seconds }: { ms?: string | undefined; seconds?: string | undefined },
  clock: Clock,
): number | null {
  const exact = Number(ms);
  if (ms !== undefined && ms !== '' && exact >= 0 && exact <= MAX_RETRY_SECONDS * 1_000)
    return Math.ceil(exact);
  // `Date.parse` also takes plain numbers and other forms; only that of RFC 9110, 5.6.7 is a date here.
  const date = /^[A-Z][a-z]{2}, .{20} GMT$/.test(seconds ?? '')
    ? Date.parse(seconds ?? '')
    : Number.NaN;
  if (Number.isFinite(date)) {
    const wait = Math.max(1, Math.ceil((date - clock.now()) / 1_000));
    return Math.min(wait, MAX_RETRY_SECONDS) * 1_000;
  }
  const given = Number(seconds);
  return given > 0 && given <= MAX_RETRY_SECONDS ? Math.ceil(given) * 1_000 : null;
}

/** OpenAI's code of a request that is longer than the context of its model. */
export const CONTEXT_LENGTH = 'context_length_exceeded';
const TOO_LONG_STATUS: ReadonlySet<number> = new Set([400, 413, 422]);
/** Of the request itself: a proxy counts bytes of all, also of pictures. */
const TOO_LONG = new RegExp(
  [
    'context_length_exceeded|context (length|window|size|limit|overflow)|\\bn_ctx\\b',
    'maximum (context|prompt length|input length|model length)|model token limit',
    '(input|prompt|request(?! (entity|body|header)))( \\w+){0,4} too (long|large)',
    'exceed(s|ed)? .{0,60}(max\\w*|limit).{0,40}tokens?|too many (input )?tokens',
    '`inputs` (tokens|must have less)|range of input length|reduce the length of|超长',
  ].join('|'),
  'i',
);
/** A server that failed to load a model names its context too. */
const FAILED_TOO_LONG = /exceed|too (long|large)|longer than/i;
/** Other limits: the tokens of a day, of the answer alone, of a file, the memory of the server. */
const OTHER_LIMIT =
  /(daily|monthly|per (day|month)|quota).{0,40}(limit|tokens)|(available|gpu|of) memory|failed to load|(maximum|limit) of \d+ (output|completion) tokens|requested output|(image|file|audio|video)\b.{0,20}too (long|large)/i;
const isTooLong = ({ status, text }: VendorRefusal): boolean =>
  TOO_LONG.test(text) &&
  !OTHER_LIMIT.test(text) &&
  (TOO_LONG_STATUS.has(status) || (status === 500 && FAILED_TOO_LONG.test(text)));
/** LiteLLM knows it by these words, and not by the code. */
const TOO_LONG_TEXT =
  "The conversation is longer than the model's context length: begin a new one, or ask with less text";
const NO_CREDIT = /insufficient_quota|credit balance|insufficient (credits?|balance|funds)/i;
const CREDIT = 'The account at the model provider has no credit left';
/** Of a server that constrains an answer by the schemas of its tools. */
export const NO_GRAMMAR =
  /(failed to (parse|compile|initialize)|error (parsing|compiling)) (the )?grammar|invalid grammar|xgrammar.{0,80}(invalid|unsupported|not supported)|unable to generate parser|json schema conversion failed|unimplemented keys: ?\[/i;
const GRAMMAR_STATUS: ReadonlySet<number> = new Set([400, 422, 500]);
const GRAMMAR =
  'The model server cannot read the schema of a tool or of the answer: it failed to parse its grammar';

/** How many tokens a context has, as the refusal of a request that is longer names it; null: it does not. */
export function contextNamedIn(text: string): number | null {
  const [, named] = /> *(\d[\d,]{2,9})/.exec(text) ?? NAMED_CONTEXT.exec(text) ?? [];
  return named === undefined ? null : Number(named.replaceAll(',', ''));
}
const NAMED_CONTEXT =
  /(?:maximum (?:context|prompt|model|input) length|context (?:length|window|size|limit)|token limit|n_ctx|must be <=|\[1,)(?: is| of)?\W{0,4}(\d[\d,]{2,9})/i;

/** Neutral words for a status other than 200; the vendor's own are in the cause. */
export function refusal(cause: VendorRefusal): AppError {
  const { status, retryAfterMs } = cause;
  const asked = retryAfterMs === null ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  if (status === 402 || NO_CREDIT.test(cause.text)) return new Unavailable(CREDIT, cause);
  if (status === 429) {
    const seconds = asked ?? DEFAULT_RETRY_SECONDS;
    return new TooManyRequests('The model provider is over its rate limit', seconds, cause);
  }
  if (isTooLong(cause)) {
    const detail = { param: 'messages' };
    return new AppError(400, CONTEXT_LENGTH, TOO_LONG_TEXT, { cause, detail });
  }
  if (GRAMMAR_STATUS.has(status) && NO_GRAMMAR.test(cause.text))
    return new Unprocessable(GRAMMAR, { status }, cause);
  if (status >= 300 && status < 400) {
    return new Unavailable('The model provider redirects, which is refused', cause);
  }
  if (status === 401 || status === 403) {
    return new Unavailable('The model provider refused the configured key', cause);
  }
  if (status === 404) return new Unavailable('The model provider does not know the model', cause);
  if (status === 400 || status === 413 || status === 422) {
    return new Unprocessable('The model provider refused the request', { status }, cause);
  }
  const what = status === 529 ? 'is overloaded' : 'failed';
  return new Unavailable(`The model provider ${what}`, cause, asked);
}

async function beginning(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_ERROR_BODY) break;
  }
  return text.slice(0, MAX_ERROR_BODY);
}

/** How vendors say under status 200 that they have failed. */
const Failure = z.union([
  z.object({ error: z.union([z.string().min(1), z.object({})]) }),
  z.object({ object: z.literal('error') }),
  z.object({ type: z.literal('error') }),
  z.object({ success: z.literal(false) }),
  z.object({ code: z.coerce.number().min(400) }),
  z.object({ status_code: z.number().min(400) }),
  z.object({ status: z.number().min(400) }),
  z.object({ base_resp: z.object({ status_code: z.number().refine((code) => code !== 0) }) }),
  z.object({ errors: z.array(z.unknown()).min(1) }),
  z.object({ detail: z.union([z.string().min(1), z.array(z.unknown()).min(1)]) }),
  z.object({ message: z.string().min(1) }),
  z.object({ error_message: z.string().min(1) }),
  z.object({ msg: z.string().min(1) }),
]);
/** Of an event without an answer. */
export const isFailure = (given: unknown): boolean => Failure.safeParse(aloneIn(given)).success;

export const brokeOff = () =>
  new Unavailable('The model provider broke off in the middle of its answer');

export const noAnswer = (text: string) =>
  new Unavailable('The model provider sent no answer', new Error(text.slice(0, 1_000)));

/** An error inside an answer that began with 200, with the meaning that it would have as a status. */
export const failedInside = (text: string): AppError =>
  refusal(new VendorRefusal(statusIn(text), text.slice(0, MAX_ERROR_BODY), null, 200));

const Status = z.coerce.number().int().min(400).max(599);
const NAMED: readonly (readonly [RegExp, number])[] = [
  [/overloaded/i, 529],
  [/rate.?limit|resource_exhausted|too_?many_?requests/i, 429],
  [/authentication|unauthori[sz]ed|unauthenticated|api_?key/i, 401],
  [/permission|forbidden/i, 403],
  [/not_?found/i, 404],
  [/invalid_?(request|argument)|bad_?request|context_length|exceed_context/i, 400],
];

/** What an error says beside its words: a number as statuses are, else a name; 500 where it has neither. */
function statusIn(text: string): number {
  const given = fieldsOf(aloneIn(parsed(text)));
  const choice = fieldsOf(aloneIn(given['choices']));
  const said = [fieldsOf(given['error']), fieldsOf(choice['error']), given].flatMap((fields) =>
    ['code', 'status', 'status_code', 'type', 'error_type'].map((name) => fields[name]),
  );
  const status = said.map((one) => Status.safeParse(one).data).find((one) => one !== undefined);
  if (status !== undefined) return status;
  const names = said.filter((one) => typeof one === 'string').join(' ');
  return NAMED.find(([name]) => name.test(names))?.[1] ?? 500;
}

/** Google sends its errors as lists of one. */
const aloneIn = (given: unknown): unknown => (Array.isArray(given) ? given[0] : given);
const fieldsOf = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null ? { ...given } : {};
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
