import type { Clock } from '../../../kernel/clock.ts';
import { type Egress, EgressRefused } from '../../../kernel/egress/egress.ts';
import type { Outcome } from './channel.ts';
import { displayed, failureCode, late, limited } from './outcome.ts';

const MAX_ANSWER = 1_024;
/** The status decides the outcome; the body is only shown to people, so the wait for it is short. */
const BODY_MS = 1_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Failures after the request went out: its receiver may have it. */
const UNANSWERED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_SOCKET']);
/** RFC 9110, 15.6.5: a gateway got no answer in time from the receiver behind it. */
const GATEWAY_TIMEOUT = 504;
/** 4xx that may succeed later: timeout, conflict, too early, too many requests. */
const TEMPORARY = new Set([408, 409, 425, 429]);

export type HttpMessage = {
  url: string;
  method: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
  /** Masked in the stored answer. */
  secrets: readonly string[];
  /** Ms to wait, from the body of an answer without Retry-After. */
  retryAfterMs?: (body: string) => number | null;
};

/** Sends one message; the status of the response decides the outcome. Never throws. */
export async function sendByHttp(
  { egress, clock }: { egress: Egress; clock: Clock },
  { url, secrets, retryAfterMs, ...request }: HttpMessage,
  asked: AbortSignal,
): Promise<Outcome> {
  const { signal, release } = limited(clock, asked);
  try {
    const headers = { 'user-agent': 'svc-center-data', ...request.headers };
    const response = await egress.fetch(url, { ...request, headers, signal });
    const body = await beginning(response, clock, signal);
    const answer = displayed(`HTTP ${response.status} ${body}`, secrets);
    const waitMs = retryAfter(response.headers.get('retry-after'), clock);
    return outcome(response, answer, waitMs ?? retryAfterMs?.(body) ?? null);
  } catch (error) {
    if (signal.aborted) return late(true);
    if (error instanceof EgressRefused) return { status: 'refused', reason: error.message };
    if (isRedirect(error))
      return { status: 'refused', reason: 'The receiver redirects, which is not followed' };
    const code = failureCode(error);
    return {
      status: 'unreachable',
      reason: `The receiver cannot be reached (${code})`,
      ...(UNANSWERED.has(code) && { unanswered: true }),
    };
  } finally {
    release();
  }
}

function outcome({ status }: Response, answer: string, waitMs: number | null): Outcome {
  if (status >= 200 && status < 300) return { status: 'delivered', answer };
  if (status < 500 && !TEMPORARY.has(status)) return { status: 'refused', reason: answer };
  return {
    status: 'unreachable',
    reason: answer,
    ...(waitMs === null ? {} : { retryAfterMs: Math.min(waitMs, MAX_RETRY_AFTER_MS) }),
    ...(status === GATEWAY_TIMEOUT && { unanswered: true }),
  };
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfter(header: string | null, clock: Clock): number | null {
  if (!header) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : dateOf(header) - clock.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/**
 * Date.parse accepts more forms, a bare number as a year for example; accept only the one of RFC 9110, 5.6.7.
 */
const dateOf = (text: string): number =>
  /^[A-Z][a-z]{2}, .{20} GMT$/.test(text) ? Date.parse(text) : Number.NaN;

/** The first kilobyte of the body, or the part that arrives within a second. */
async function beginning({ body }: Response, clock: Clock, signal: AbortSignal): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return '';
  const leave = (): void => void reader.cancel().catch(() => {});
  const release = clock.after(BODY_MS, leave);
  signal.addEventListener('abort', leave, { once: true });
  const chunks: Uint8Array[] = [];
  try {
    for (let size = 0; size < MAX_ANSWER;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
  } catch {
    // The status is already known, so a broken body does not change the outcome.
  } finally {
    release();
    signal.removeEventListener('abort', leave);
    leave();
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString();
}

function isRedirect(error: unknown): boolean {
  // undici sets no error code for a refused redirect, only a message.
  return (
    error instanceof Error &&
    error.cause instanceof Error &&
    error.cause.message.includes('redirect')
  );
}
