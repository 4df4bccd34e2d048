import { TimedOut } from '../../../providers/request/limits.ts';
import { VendorRefusal } from '../../../providers/request/refusal.ts';
import { allows } from '../../auth/permission/permission.ts';
import type { Caller } from '../../kernel/app/app.ts';
import type { Clock } from '../../kernel/clock.ts';
import { TunnelFailed } from '../../kernel/egress/tunnel.ts';
import { AppError, TooManyRequests, Unavailable } from '../../kernel/errors.ts';

const MAX_REASON = 300;

/** What the vendor said in place of an answer, in one short line without control characters; '' when it said nothing. */
export function vendorReason(error: unknown): string {
  const refusal = refusalOf(error);
  const cause = error instanceof AppError ? error.cause : error;
  const text = refusal ? `HTTP ${refusal.httpStatus}: ${wordsIn(refusal.text)}` : messageOf(cause);
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
    .toWellFormed();
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : '');

/** The message inside an error of either dialect, else the whole text. */
function wordsIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = field(body, 'error') ?? body;
    const message = field(error, 'message') ?? field(error, 'error_message');
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

/** To be added to an error of a model: the vendor's words, for those that may change the provider; '' for others. */
export function reasonFor(caller: Caller, error: unknown): string {
  if (!refusalOf(error) || !allows(caller, 'svc-center-agentic:provider:update')) return '';
  return `; the provider says: ${vendorReason(error)}`;
}

const MAX_RETRIES = 2;
const FIRST_WAIT_MS = 500;
/** A longer wait is left to the caller. */
const MAX_WAIT_MS = 10_000;

/** The vendor's own answer behind an error. */
export const refusalOf = (error: unknown): VendorRefusal | null =>
  error instanceof AppError && error.cause instanceof VendorRefusal ? error.cause : null;

const proxyAnswer = ({ cause }: Error): number | null =>
  cause instanceof TunnelFailed ? cause.status : null;

/** The provider as a whole has failed, and not only this request. */
export function isFailure(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return false;
  const status = refusalOf(error)?.status ?? proxyAnswer(error);
  return status === null || status >= 500;
}

/** Another model may answer what this one did not. */
export const isOthersTurn = (error: unknown): boolean =>
  error instanceof Unavailable || error instanceof TooManyRequests;

/**
 * How long to wait before the `retry`-th repetition (from 1) of a request without an answer; null where a repetition
 * would not help, or only after a wait that is too long.
 */
export function waitBefore(retry: number, error: unknown): number | null {
  if (retry > MAX_RETRIES) return null;
  if (!(error instanceof TooManyRequests) && !isFailure(error)) return null;
  // It would take as long again.
  if (error instanceof Error && error.cause instanceof TimedOut) return null;
  const asked = refusalOf(error)?.retryAfterMs ?? null;
  const wait = asked ?? FIRST_WAIT_MS * 2 ** (retry - 1);
  return wait <= MAX_WAIT_MS ? wait : null;
}

/** Waits; throws the reason of `signal` when it fires first. */
export async function waited(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const stop = () => resolve();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
}
