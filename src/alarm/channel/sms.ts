import { z } from 'zod';

import { wrongAddress } from './delivery/address.ts';
import type { Channel, Delivery, OpenChannel } from './delivery/channel.ts';
import { sendByHttp } from './delivery/http.ts';
import { Headers, problems } from './settings.ts';
import { type Content, fill, fillBody, namesIn, stringsOf } from './template.ts';

/** ITU-T E.164: at most 15 digits, led by a country code. */
const NUMBER = /^\+[1-9]\d{6,14}$/;
/** 3 x 160 characters; a gateway may split them into more parts, since joined parts are shorter. */
const MAX_TEXT = 480;
const CREDENTIAL = /^[\x21-\x7e]{6,256}$/;
const PLACEHOLDERS = new Set(['to', 'text', 'id', 'credential']);
const MEDIA: Record<Content, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

const isKnown = (template: string): boolean =>
  namesIn(template).every((name) => PLACEHOLDERS.has(name));

const tellsCredential = (template: string): boolean => {
  const names = namesIn(template);
  return names.includes('credential') && names.includes('text');
};

/** Request template of the gateway; placeholders: `{{to}}`, `{{text}}`, `{{id}}` and `{{credential}}`. */
const Settings = z
  .object({
    url: z.string().refine((url) => !/[{}]/.test(url), 'must not hold placeholders'),
    method: z.enum(['POST', 'PUT']).default('POST'),
    headers: Headers,
    contentType: z.enum(['json', 'form']).default('json'),
    body: z.string().max(4_096),
  })
  .superRefine(({ contentType, headers, body }, context) => {
    const wrong = (message: string, ...path: string[]): void =>
      context.addIssue({ code: 'custom', message, path });
    if (![body, ...Object.values(headers)].every(isKnown))
      wrong(`may hold of placeholders only ${[...PLACEHOLDERS].join(', ')}`, 'body');
    if (!namesIn(body).includes('to') || !namesIn(body).includes('text'))
      wrong('must hold {{to}} and {{text}}', 'body');
    if (Object.values(headers).some((value) => namesIn(value).includes('text')))
      wrong('must not hold {{text}}', 'headers');
    try {
      if (stringsOf(body, contentType).some(tellsCredential))
        wrong('must not hold {{credential}} beside {{text}}, which people read', 'body');
    } catch {
      wrong('must be JSON, placeholders within its strings', 'body');
    }
  });

/** A text message through an HTTP gateway, described by a template (`channelExt`). */
export const sms: OpenChannel = ({ egress, clock }) => {
  const wrong: Channel['wrong'] = ({ target, credential, settings }) => {
    const parsed = Settings.safeParse(settings);
    if (!parsed.success) return problems(parsed.error);
    if (!NUMBER.test(target)) return 'the receiver must be a number like +4915112345678 (E.164)';
    if (credential !== '' && !CREDENTIAL.test(credential))
      return 'credential must be 6 to 256 printable ASCII characters';
    return wrongAddress(egress.sms, parsed.data.url);
  };
  return {
    settings: Settings,
    wrong,
    async deliver(delivery, signal) {
      const reason = wrong(delivery);
      if (reason !== null) return { status: 'refused', reason };
      const { url, method, headers, contentType, body } = Settings.parse(delivery.settings);
      const { target: to, id, credential } = delivery;
      const values = { to, id, credential, text: bounded(delivery) };
      const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, values)]);
      const message = {
        url,
        method,
        headers: { ...Object.fromEntries(filled), 'content-type': MEDIA[contentType] },
        body: fillBody(body, contentType, values),
        secrets: [credential, ...Object.values(headers)],
      };
      return sendByHttp({ egress: egress.sms, clock }, message, signal);
    },
  };
};

function bounded({ text }: Delivery): string {
  const clean = text
    .toWellFormed()
    .replace(/[^\P{Cc}\n]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length <= MAX_TEXT ? clean : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}
