import type { Clock } from '../../core/clock.ts';
import type { Outcome } from './channel.ts';

/** A second is left of the 15 for what closing takes. */
const DELIVER_MS = 14_000;
const MAX_SHOWN = 200;
/** Shorter ones would hide half the words, and none is accepted that short. */
const MIN_SECRET = 6;

/** A signal that fires with `signal`, or when a delivery has taken too long; `release` ends the watch. */
export function limited(clock: Clock, signal: AbortSignal) {
  const late = new AbortController();
  const release = clock.after(DELIVER_MS, () => late.abort());
  return { signal: AbortSignal.any([signal, late.signal]), release };
}

export const LATE: Outcome = { status: 'unreachable', reason: 'No answer in time' };

/**
 * What a stranger answered, fit to be kept and read: one line of at most 200 characters without any of
 * `secrets`, which a server may send back.
 */
export function shown(text: string, secrets: readonly string[]): string {
  let clean = text.toWellFormed();
  for (const secret of secrets.filter(({ length }) => length >= MIN_SECRET))
    clean = withoutEnd(clean.replaceAll(secret, '***'), secret);
  return clean
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SHOWN)
    .toWellFormed();
}

/** An answer that broke off may end with the first half of a secret. */
function withoutEnd(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`;
  return text;
}

/** The code of a network failure (`ECONNREFUSED`), which says enough and nothing about us. */
export function failureCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(at.code))
      return at.code;
  return 'connection failed';
}
