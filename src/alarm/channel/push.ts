import { createHash } from 'node:crypto';

import type { Clock } from '../../kernel/clock.ts';
import type { Egress } from '../../kernel/egress/egress.ts';
import { isLoopbackName } from '../../kernel/request/loopback.ts';
import { wrongAddress } from './delivery/address.ts';
import { type Browser, bytesOf } from './delivery/browser.ts';
import type { Delivery, Outcome } from './delivery/channel.ts';
import { sendByHttp } from './delivery/http.ts';
import { encrypted, MAX_PLAIN_BYTES, type Vapid } from './delivery/push-message.ts';
import { bounded, dedupKey, inBytes, secretsIn } from './webhook-kind.ts';

/** The same for the same endpoint; the endpoint itself is a secret. */
export const browserId = ({ endpoint }: Pick<Browser, 'endpoint'>): string =>
  createHash('sha256').update(endpoint).digest('hex').slice(0, 32);

/** The reason to refuse an endpoint, by its text alone (no network); null when accepted. */
export function wrongEndpoint(egress: Egress, endpoint: string): string | null {
  const url = URL.parse(endpoint);
  if (url && url.protocol !== 'https:' && !isLoopbackName(url.hostname))
    return 'the endpoint must be https';
  return wrongAddress(egress, endpoint);
}

const TARGET = /^person:([1-9]\d{0,18})$/;

/** The address of a channel of browsers: a person. */
export const personTarget = (principalId: string): string => `person:${principalId}`;

/** The person behind such an address; null for another address. */
export const personOf = (target: string): string | null => TARGET.exec(target)?.[1] ?? null;

/** The reason to refuse such a channel; null when it is valid. Browsers subscribe themselves. */
export function wrongPush({
  target,
  credential,
}: {
  target: string;
  credential: string;
}): string | null {
  if (personOf(target) === null) return 'the address must be that of a person: person:ID';
  return credential === ''
    ? null
    : 'credential must be empty, and the person stays: browsers subscribe themselves';
}

type Ways = { egress: Egress; clock: Clock };

/** Push services keep what a browser does not fetch for so long (s). */
const TTL_S = 86_400;
/** Gone for good (RFC 8030, 7.3). */
const GONE = /^HTTP 4(?:04|10)\b/;

/** Sends a message to the browsers of a person by their push services (RFC 8030). Never throws. */
export async function sendToBrowsers(
  delivery: Delivery,
  ways: Ways,
  signal: AbortSignal,
): Promise<Outcome> {
  const { push, left } = delivery;
  if (!push || push.browsers.length === 0) return { status: 'refused', reason: NO_BROWSER };
  const { browsers, vapid } = push;
  const isPart = left !== undefined && left.length > 0;
  const wanted = isPart ? browsers.filter((each) => left.includes(browserId(each))) : browsers;
  const payload = payloadOf(delivery);
  const outcomes = await Promise.all(
    wanted.map(async (browser) => ({
      id: browserId(browser),
      ...(await sendTo(browser, { payload, delivery, vapid }, ways, signal)),
    })),
  );
  return together(outcomes, isPart);
}

const NO_BROWSER = 'no browser of the person is subscribed';

type Each = Outcome & { id: string };

/** One outcome of those of the browsers; `isPart`: others took the message at an earlier attempt. */
function together(outcomes: readonly Each[], isPart: boolean): Outcome {
  const taken = outcomes.filter(({ status }) => status === 'delivered').length;
  const late = outcomes.filter((each) => each.status === 'unreachable');
  const refused = outcomes.flatMap((each) => (each.status === 'refused' ? [each] : []));
  const gone = refused.flatMap(({ id, reason }) => (GONE.test(reason) ? [id] : []));
  const ended = gone.length > 0 ? { gone } : {};
  const [first] = late;
  if (first) {
    const waits = late.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
    return {
      status: 'unreachable',
      reason: first.reason,
      ...(waits.length > 0 && { retryAfterMs: Math.max(...waits) }),
      ...(late.some(({ unanswered }) => unanswered) && { unanswered: true as const }),
      ...((taken > 0 || isPart) && { left: late.map(({ id }) => id) }),
      ...ended,
    };
  }
  if (outcomes.length === 0)
    return { status: 'delivered', answer: 'Its other browsers are not subscribed any more' };
  if (taken > 0 || isPart)
    return { status: 'delivered', answer: `Taken for ${taken} of ${outcomes.length}`, ...ended };
  const other = refused.find(({ reason }) => !GONE.test(reason));
  return { status: 'refused', reason: other?.reason ?? NO_BROWSER, ...ended };
}

type Parcel = { payload: Buffer; delivery: Delivery; vapid: Vapid };

async function sendTo(
  { endpoint, p256dh, auth }: Browser,
  { payload, delivery, vapid }: Parcel,
  { egress, clock }: Ways,
  signal: AbortSignal,
): Promise<Outcome> {
  const wrong = wrongEndpoint(egress, endpoint);
  if (wrong !== null) return { status: 'refused', reason: wrong };
  const { notice, at } = delivery;
  const isUrgent = notice.event === 'fired' && (notice.level === 'P0' || notice.level === 'P1');
  const headers = {
    authorization: vapid.authorization(new URL(endpoint).origin, at),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(TTL_S),
    urgency: isUrgent ? 'high' : 'normal',
    // RFC 8030, 5.4: of one alarm a browser that was off gets the last message alone.
    topic: topicOf(delivery),
  };
  return sendByHttp(
    { egress, clock },
    {
      url: endpoint,
      method: 'POST',
      headers,
      body: encrypted(payload, { p256dh: bytesOf(p256dh), auth: bytesOf(auth) }),
      secrets: [...secretsIn(endpoint), headers.authorization],
    },
    signal,
  );
}

/** At most 32 characters of base64url. */
const topicOf = (delivery: Delivery): string =>
  createHash('sha256').update(dedupKey(delivery)).digest('base64url').slice(0, 32);

const MAX_TITLE_BYTES = 300;
const MAX_TEXT_BYTES = 3_000;
const STEP_BYTES = 250;

/** What the page behind the browser is sent; of a text that is too long its beginning. */
function payloadOf(delivery: Delivery): Buffer {
  const { subject, text, notice } = delivery;
  for (let max = MAX_TEXT_BYTES; ; max -= STEP_BYTES) {
    const payload = Buffer.from(
      JSON.stringify({
        title: inBytes(bounded(subject, MAX_TITLE_BYTES), MAX_TITLE_BYTES),
        text: inBytes(bounded(text, max), max),
        tag: topicOf(delivery),
        page: pageOf(notice),
        time: notice.occurTime,
      }),
    );
    if (payload.length <= MAX_PLAIN_BYTES) return payload;
  }
}

/** Below `/console`: the page that says more. */
function pageOf({ alarmId, group }: Delivery['notice']): string {
  if (group !== undefined && group.count > 1) return '/alarms';
  return alarmId === '0' ? '/notifications' : `/alarms/${alarmId}`;
}
