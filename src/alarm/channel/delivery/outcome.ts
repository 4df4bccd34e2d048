import type { Clock } from '../../../kernel/clock.ts';
import { quoted } from '../../../kernel/sentence/voice.ts';
import type { Outcome } from './channel.ts';

/** Channel.deliver must end within 15 s; one second is left for closing. */
const DELIVER_MS = 14_000;
const MAX_SHOWN = 200;
/**
 * Shorter secrets are not masked, because they match parts of ordinary words. Channel credentials are longer;
 * a header value or the password of the mail server may be shorter.
 */
const MIN_SECRET = 6;

/** A signal that aborts with `signal` or at the time limit of a delivery; `release` stops the timer. */
export function limited(clock: Clock, signal: AbortSignal) {
  const limit = new AbortController();
  const release = clock.after(DELIVER_MS, () => limit.abort());
  return { signal: AbortSignal.any([signal, limit.signal]), release };
}

const LATE = { status: 'unreachable', reason: 'No answer in time' } as const;

/** The outcome at the time limit; `isOut`: the message went out before. */
export const late = (isOut: boolean): Outcome => (isOut ? { ...LATE, unanswered: true } : LATE);

/**
 * Text of a receiver, safe to store and show: one line of at most 200 characters with `secrets` masked,
 * because a server may echo them.
 */
export function displayed(text: string, secrets: readonly string[]): string {
  let clean = text.toWellFormed();
  for (const secret of secrets.filter(({ length }) => length >= MIN_SECRET))
    clean = withoutEnd(clean.replaceAll(secret, '***'), secret);
  return clean
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SHOWN)
    .toWellFormed();
}

/** Masks the beginning of a secret at the end of a truncated text. */
function withoutEnd(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`;
  return text;
}

/** Reasons that hold nothing of a receiver. */
const OWN =
  /^(?:no mail server is configured|No answer in time|no dispatcher lived to send it|the channel is gone or disabled|what was to be sent cannot be read|the stored credential cannot be opened|the channel leads to no person|the person may not read alarms|the rights of the person cannot be read|no browser of the person is subscribed|Taken for \d+ of \d+|HTTP \d{3}|The (?:receiver|mail server) (?:is not a mail address|redirects, which is not followed|offers no TLS|cannot be reached|refuses the login))(?: \([\w ]{1,64}\))?$/;
/** What a receiver answered, behind the platform's words for it. */
const ANSWER = /^(HTTP \d{3} |The mail server answered: )?(.+)$/s;

/** A reason for readers: what a receiver answered, and whatever is not surely the platform's, is a quotation in it. */
export const quotingAnswer = (reason: string): string =>
  OWN.test(reason)
    ? reason
    : reason.replace(ANSWER, (_, ours = '', theirs: string) => `${ours}${quoted(theirs, 100)}`);

/** The code of a network failure (`ECONNREFUSED`); its message could reveal internal addresses. */
export function failureCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(at.code))
      return at.code;
  return 'connection failed';
}
