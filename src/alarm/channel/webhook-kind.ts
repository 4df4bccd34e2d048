import type { Delivery } from './delivery/channel.ts';
import type { AnswerForm } from './vendor-answer.ts';

/** A vendor's own form of a webhook: a POST of JSON, of which a status of 2xx is the success. */
export type WebhookKind = {
  /** The reason to refuse the settings of a channel; null when they are valid. */
  wrong(given: Given): string | null;
  /** What is sent to the vendor; `wrong` accepted the settings of the delivery. */
  request(delivery: Delivery, chatId: string): Request;
  /** Ms to wait, from the body of a refusal; null where the body does not say it. */
  retryAfterMs?(body: string): number | null;
  /** How the vendor’s service reports that a person acknowledged an alarm; absent: the platform takes no such reports of the kind. */
  answer?: AnswerForm;
};

type Given = { target: string; credential: string; chatId: string };

type Request = {
  url: string;
  headers?: Record<string, string>;
  body: unknown;
  /** Parts of the credential that an answer may repeat. */
  secrets?: readonly string[];
};

/** Shorter parts of a URL are words of its path. */
const MIN_SECRET_PART = 12;
const PRINTABLE = /^[\x21-\x7e]{8,2048}$/;

/** A key or token in a header or in the path; `form` narrows it. */
export const wrongToken = (credential: string, form: RegExp, words: string): string | null =>
  PRINTABLE.test(credential) && form.test(credential) ? null : `credential must be ${words}`;

/** The address of a vendor's server, with the path of its API behind it. */
export const under = (target: string, path: string): string =>
  `${target.replace(/\/+$/, '')}${path}`;

/** The reason to refuse an address that paths are put behind. */
export function wrongServer(target: string): string | null {
  const url = URL.parse(target);
  return url && url.search === '' && url.hash === ''
    ? null
    : 'the address must be that of the server, without a query';
}

/**
 * Returns why a webhook with a secret URL is refused, or null: the credential contains the URL and
 * `target` names only the server, so that no answer and no history contains the secret.
 */
export function wrongSecretUrl({ target, credential }: Given): string | null {
  const url = URL.parse(credential);
  const server = URL.parse(target);
  if (!url || url.host === '' || !PRINTABLE.test(credential) || url.username !== '')
    return 'credential must be the URL of the webhook, which is a secret';
  if (!server || server.origin !== url.origin || server.href !== `${server.origin}/`)
    return `the address must be the server of the webhook alone: ${url.origin}`;
  return null;
}

/** What an answer must not repeat of such a URL: its path, and the keys in it. */
export function secretsIn(credential: string): string[] {
  const { pathname, search, searchParams } = new URL(credential);
  const parts = [...pathname.split('/'), ...searchParams.values()];
  return [`${pathname}${search}`, pathname, ...parts].filter(
    ({ length }) => length >= MIN_SECRET_PART,
  );
}

/** `user:password` or a token, as a header; none for an empty credential. */
export function authorization(credential: string): Record<string, string> {
  if (credential === '') return {};
  return {
    authorization: credential.includes(':')
      ? `Basic ${Buffer.from(credential).toString('base64')}`
      : `Bearer ${credential}`,
  };
}

/** The key by which a vendor knows the first message of an alarm, its reminders and its end as one. */
export const dedupKey = ({ id, notice }: Delivery): string =>
  notice.alarmId === '0' ? `message-${id}` : `alarm-${notice.alarmId}`;

/** At most `max` characters (code points), without control characters but the end of a line. */
export function bounded(text: string, max: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[^\P{Cc}\n]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length <= max ? clean : `${characters.slice(0, max - 1).join('')}…`;
}

/** At most `max` bytes of UTF-8, without half a character at the end. */
export const inBytes = (text: string, max: number): string =>
  Buffer.byteLength(text) <= max
    ? text
    : `${Buffer.from(text)
        .subarray(0, max - 6)
        .toString()
        .replace(/\uFFFD+$/, '')}…`;
