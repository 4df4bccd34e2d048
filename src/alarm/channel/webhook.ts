import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

import { wrongAddress } from './address.ts';
import type { Channel, Delivery, OpenChannel } from './channel.ts';
import { sendByHttp } from './http.ts';
import { Headers, problems } from './settings.ts';

const Settings = z.object({ headers: Headers });
/** Standard Webhooks, Signature scheme: base64 of 24 to 64 random bytes. */
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const SECRET_BYTES = { min: 24, max: 64 };

/** A signed POST of JSON (https://www.standardwebhooks.com, specification 1.0.0). */
export const webhook: OpenChannel = ({ egress, clock }) => {
  const wrong: Channel['wrong'] = ({ target, credential, settings }) => {
    const parsed = Settings.safeParse(settings ?? {});
    if (!parsed.success) return problems(parsed.error);
    if (JSON.stringify(parsed.data).includes('{{credential}}'))
      return 'headers must not hold the credential: the signature says who sends';
    if (!isSecret(credential)) return 'credential must be whsec_ and base64 of 24 to 64 bytes';
    return wrongAddress(egress.webhook, target);
  };
  return {
    settings: Settings,
    wrong,
    async deliver(delivery, signal) {
      const reason = wrong(delivery);
      if (reason !== null) return { status: 'refused', reason };
      const { headers } = Settings.parse(delivery.settings ?? {});
      const { target: url, credential } = delivery;
      const body = bodyOf(delivery);
      const message = {
        url,
        method: 'POST' as const,
        headers: { ...headers, ...signed(delivery, body), 'content-type': 'application/json' },
        body,
        secrets: [credential, credential.slice('whsec_'.length), ...Object.values(headers)],
      };
      return sendByHttp({ egress: egress.webhook, clock }, message, signal);
    },
  };
};

function isSecret(credential: string): boolean {
  const [, encoded] = SECRET.exec(credential) ?? [];
  if (encoded === undefined) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= SECRET_BYTES.min && length <= SECRET_BYTES.max;
}

function typeOf({ event, alarmId, about }: Delivery['notice']): string {
  if (event === 'test') return 'channel.test';
  if (about === 'channel') return 'channel.unnotified';
  return alarmId === '0' ? 'identity.reported' : `alarm.${event}`;
}

function bodyOf({ notice, subject, text, at }: Delivery): string {
  const { event: _event, about: _about, ...data } = notice;
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
