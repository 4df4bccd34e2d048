import { isUtf8 } from 'node:buffer';

import type { Clock } from '../../../src/kernel/clock.ts';
import { hostPort } from '../../../src/kernel/egress/address.ts';
import { type Egress, EgressRefused } from '../../../src/kernel/egress/egress.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { JSON_BYTES } from '../../../src/kernel/request/body.ts';
import { JsonShape } from '../../../src/kernel/request/json-shape.ts';
import { DriverFailure } from '../../sdk/driver.ts';
import { invalid, misconfigured, offline, silent } from '../../sdk/failure.ts';

export type Request = {
  url: URL;
  method: 'GET' | 'PUT' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Also of a write the answer is wanted. */
  isCall?: true;
};

/** An answer; `text` of a GET or call that succeeded, else empty. */
export type Answer = { status: number; text: string; headers: Headers };

type Parts = { egress: Egress; clock: Clock; allow: ReadonlySet<string> };

/** Failures before anything went out. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO\w+|ERR_TLS\w+|ERR_SSL\w+|EPROTO)$/;

/**
 * One request, without redirects and repetition; its answer has at most 256 kB. In clear it goes to what the operator
 * opened only. Throws `DriverFailure`: UNKNOWN where a write may have been done.
 */
export async function exchange(
  { egress, clock, allow }: Parts,
  { url, isCall, ...init }: Request,
  deadline: number,
): Promise<Answer> {
  if (url.protocol === 'http:' && !allow.has(hostPort(url.href)))
    throw misconfigured('url: http: in clear needs http:HOST:PORT in SVC_EGRESS_ALLOW');
  const limit = new AbortController();
  const release = clock.after(Math.max(0, deadline - clock.now()), () => limit.abort());
  const isWrite = init.method !== 'GET';
  try {
    const response = await egress.fetch(url, { ...init, signal: limit.signal });
    const isWanted = (!isWrite || isCall === true) && response.ok;
    const text = isWanted ? await bodyOf(response) : '';
    if (!isWanted) void response.body?.cancel().catch(() => {});
    return { status: response.status, text, headers: response.headers };
  } catch (error) {
    if (error instanceof DriverFailure) throw isWrite ? doubted(error) : error;
    if (error instanceof EgressRefused) throw misconfigured(`url: ${error.message}`);
    if (limit.signal.aborted) throw silent(undefined, isWrite ? 'UNKNOWN' : 'FAILED');
    const code = codeOf(error);
    if (NOT_SENT.test(code)) throw offline(`it cannot be reached (${code})`);
    const isRedirect = String(reasonOf(error)).includes('redirect');
    const why = isRedirect ? 'it redirects, which is not followed' : `it did not answer (${code})`;
    throw silent(why, isWrite ? 'UNKNOWN' : 'FAILED');
  } finally {
    release();
  }
}

/** What is wrong with an answer says nothing of what was done. */
const doubted = ({ code, message }: DriverFailure): DriverFailure =>
  new DriverFailure(code, message, 'UNKNOWN');

async function bodyOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const shape = new JsonShape();
  try {
    for await (const piece of response.body ?? []) {
      length += piece.length;
      if (length > JSON_BYTES) throw invalid(`the answer is larger than ${JSON_BYTES / 1024} kB`);
      shape.take(Buffer.from(piece));
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof AppError) throw invalid(error.message.replace('The body', 'the answer'));
    throw error;
  }
  const bytes = Buffer.concat(pieces, length);
  if (!isUtf8(bytes)) throw invalid('the answer is no text');
  return bytes.toString();
}

/** The code of a network failure; its message may name addresses. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string' && /^[\w]{1,64}$/.test(at.code)) return at.code;
  return 'no reason given';
}

const reasonOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
