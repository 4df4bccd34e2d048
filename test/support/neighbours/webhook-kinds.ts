import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';

import type { Delivery, Notice } from '../../../src/alarm/channel/delivery/channel.ts';
import { webhook } from '../../../src/alarm/channel/webhook.ts';
import { TestClock } from '../world/clock.ts';
import { channelEgress } from './channel-egress.ts';
import { delivery, notice } from './delivery.ts';
import { type Answering, startWebhookReceiver } from './webhook-receiver.ts';

const signal = new AbortController().signal;
export const LINK = 'https://plant.example/console/alarms/2';
export const linked: Notice = { ...notice, link: LINK };

/** A webhook channel that may go to these `host:port`. */
export const openWebhook = (allow: string[] = []) =>
  webhook({ egress: channelEgress(allow), clock: new TestClock(), mail: null });

type Given = { credential: string; path?: string; settings?: object };
/** A channel of each kind, as an operator would set it up; `path` belongs to the URL of the credential or target. */
export const channels: Record<string, Given> = {
  slack: { credential: '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
  teams: {
    credential:
      '/workflows/0123456789abcdef/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=SIGNATURE-OF-THE-FLOW',
  },
  mattermost: { credential: '/hooks/xxx-generatedkey-xxx' },
  ntfy: { credential: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', path: '/plant-7f3a' },
  telegram: {
    credential: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
    settings: { chatId: '-1001234567890' },
  },
  pagerduty: { credential: '0123456789abcdef0123456789abcdef' },
  opsgenie: { credential: 'eb243592-faa2-4ba2-a551-1afdf565c889' },
  alertmanager: { credential: 'operator:secret-of-the-proxy', path: '/prefix' },
};

/** Sends one message over a channel of the kind, and gives what came of it and what arrived. */
export async function send(kind: string, changes: Partial<Delivery> = {}, answering?: Answering) {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.stop());
  if (answering) receiver.answer(answering);
  const server = `http://${receiver.hostPort}`;
  const { credential = '', path = '', settings } = channels[kind] ?? {};
  const given = {
    target: `${server}${path}`,
    credential: credential.startsWith('/') ? `${server}${credential}` : credential,
    settings: { kind, ...settings },
  };
  const channel = openWebhook([receiver.hostPort]);
  expect(channel.wrong(given)).toBeNull();
  const outcome = await channel.deliver(delivery({ ...given, notice: linked, ...changes }), signal);
  const [arrived] = receiver.received;
  if (!arrived) throw new Error('nothing arrived');
  const { method, headers, body } = arrived;
  expect(method).toBe('POST');
  expect(headers['content-type']).toBe('application/json');
  return { outcome, path: arrived.path, headers, body: z.json().parse(JSON.parse(body)) };
}
