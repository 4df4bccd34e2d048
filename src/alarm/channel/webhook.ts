import { timingSafeEqual } from 'node:crypto';

import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

import type { SignedBody } from '../../kernel/app/route.ts';
import { Id } from '../../kernel/input/id.ts';
import { WEBHOOK_KINDS } from '../kind/delivery-status.ts';
import { mattermost, ntfy, slack, teams, telegram } from './chats.ts';
import { wrongAddress } from './delivery/address.ts';
import type { Channel, Delivery, OpenChannel } from './delivery/channel.ts';
import { type HttpMessage, sendByHttp } from './delivery/http.ts';
import { alertmanager, opsgenie, pagerduty } from './pagers.ts';
import { sendToBrowsers, wrongPush } from './push.ts';
import { Headers, problems } from './settings.ts';
import type { AnswerForm } from './vendor-answer.ts';
import type { WebhookKind } from './webhook-kind.ts';

const KindName = z.enum(WEBHOOK_KINDS);
/** Forms of vendors; each is tested against its documented form, none was tried on the vendor's server. */
const kinds: Record<z.infer<typeof KindName>, WebhookKind> = {
  slack,
  teams,
  mattermost,
  ntfy,
  telegram,
  pagerduty,
  opsgenie,
  alertmanager,
};

/** Without a kind it is a Standard Webhook. */
const Settings = z.object({
  /** `push`: the browsers of a person, by their push services. */
  kind: z.enum([...KindName.options, 'push']).optional(),
  headers: Headers,
  /** Of Telegram alone. */
  chatId: z.string().optional(),
});
/** Standard Webhooks, Signature scheme: base64 of 24 to 64 random bytes. */
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const SECRET_BYTES = { min: 24, max: 64 };

/** A signed POST of JSON (https://www.standardwebhooks.com, specification 1.0.0), or what its kind has in its place. */
export const webhook: OpenChannel = ({ egress, clock }) => {
  const wrong: Channel['wrong'] = ({ target, credential, settings }) => {
    const parsed = Settings.safeParse(settings ?? {});
    if (!parsed.success) return problems(parsed.error);
    const { kind, headers, chatId } = parsed.data;
    if (kind === 'push') return wrongPush({ target, credential });
    if (JSON.stringify(headers).includes('{{credential}}'))
      return 'headers must not hold the credential: the signature says who sends';
    if (chatId !== undefined && kind !== 'telegram') return 'chatId is of the kind telegram alone';
    const reason = kind
      ? kinds[kind].wrong({ target, credential, chatId: chatId ?? '' })
      : isSecret(credential)
        ? null
        : 'credential must be whsec_ and base64 of 24 to 64 bytes';
    return reason ?? wrongAddress(egress.webhook, target);
  };
  return {
    settings: Settings,
    wrong,
    async deliver(delivery, signal) {
      const reason = wrong(delivery);
      if (reason !== null) return { status: 'refused', reason };
      const { kind, ...settings } = Settings.parse(delivery.settings ?? {});
      if (kind === 'push')
        return sendToBrowsers(delivery, { egress: egress.webhook, clock }, signal);
      const { headers, secrets, ...message } = messageOf(delivery, { ...settings, kind });
      const own = { ...settings.headers, ...headers, 'content-type': 'application/json' };
      const masked = [...secrets, ...Object.values(settings.headers)];
      return sendByHttp(
        { egress: egress.webhook, clock },
        { ...message, headers: own, secrets: masked },
        signal,
      );
    },
  };
};

type Form = { kind: z.infer<typeof KindName> | undefined; chatId?: string | undefined };

function messageOf(delivery: Delivery, { kind, chatId = '' }: Form) {
  const { credential } = delivery;
  if (kind) return ofKind(kinds[kind], delivery, chatId);
  const body = bodyOf(delivery);
  return {
    url: delivery.target,
    method: 'POST' as const,
    headers: signed(delivery, body),
    body,
    secrets: [credential, credential.slice('whsec_'.length)],
  };
}

function ofKind(kind: WebhookKind, delivery: Delivery, chatId: string): HttpMessage {
  const { url, headers = {}, body, secrets = [] } = kind.request(delivery, chatId);
  const { credential } = delivery;
  return {
    url,
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    secrets: [credential, ...secrets, ...Object.values(headers)],
    ...(kind.retryAfterMs && { retryAfterMs: kind.retryAfterMs }),
  };
}

function isSecret(credential: string): boolean {
  const [, encoded] = SECRET.exec(credential) ?? [];
  if (encoded === undefined) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= SECRET_BYTES.min && length <= SECRET_BYTES.max;
}

/** Standard Webhooks, Timestamp: how old a signature may be, or how far in the future. */
const TOLERANCE_MS = 300_000;
const ID = /^[\x21-\x7e]{1,256}$/;
/** Signs for no channel: a wrong channel takes as long as a wrong signature. */
const OF_NOBODY = `whsec_${Buffer.alloc(SECRET_BYTES.min).toString('base64')}`;

type Signed = Pick<SignedBody, 'id' | 'timestamp' | 'signature' | 'payload'>;

const Answer = z.object({ type: z.literal('alarm.acknowledged'), data: z.object({ alarmId: Id }) });

/** Signed like what the receiver gets. */
export const standardAnswer: AnswerForm = {
  secret: 'credential',
  isVendor: false,
  isSigned: isSignedWith,
  alarmIn: (payload) => Answer.parse(JSON.parse(payload)).data.alarmId,
};

/** How the receiver of a webhook with these settings acknowledges an alarm; null: it cannot. */
export function answerForm(settings: unknown): AnswerForm | null {
  const { success, data } = Settings.safeParse(settings ?? {});
  if (!success || data.kind === 'push') return null;
  return data.kind ? (kinds[data.kind].answer ?? null) : standardAnswer;
}

/** Whether a body was signed with the secret of a channel within five minutes; null: it has none. */
function isSignedWith(secret: string | null, body: Signed, now: number): boolean {
  const { id, timestamp, signature, payload } = body;
  const at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  if (!ID.test(id) || !(Math.abs(now - at) <= TOLERANCE_MS)) return false;
  const known = secret !== null && isSecret(secret) ? secret : OF_NOBODY;
  const expected = Buffer.from(new Webhook(known).sign(id, new Date(at), payload));
  const isRight = signature.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isRight && known === secret;
}

function typeOf({ event, alarmId, about }: Delivery['notice']): string {
  if (event === 'test') return 'channel.test';
  if (about === 'channel') return 'channel.unnotified';
  return alarmId === '0' ? 'identity.reported' : `alarm.${event}`;
}

function bodyOf({ notice, subject, text, at }: Delivery): string {
  const { event: _event, about: _about, link: _link, ...data } = notice;
  return JSON.stringify({
    type: typeOf(notice),
    timestamp: new Date(at).toISOString(),
    data: { ...data, subject, text },
  });
}

function signed({ id, at, credential }: Delivery, body: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': new Webhook(credential).sign(id, new Date(at), body),
  };
}
