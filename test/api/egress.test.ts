import { describe, expect, it } from 'vitest';

import { webhookSecret } from '../support/neighbours/delivery.ts';
import { loopback, startCanary } from '../support/neighbours/loopback.ts';
import { say, startModel } from '../support/neighbours/model.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const canary = started(startCanary);
const operatorsModel = started(() => startModel(() => say('I am the operator’s.')));
const world = started(() =>
  startWorld({
    environment: { AGENTIC_FALLBACK_OPENAI_BASE_URL: operatorsModel.baseUrl },
  }),
);

/** Everything a tenant can set that makes the platform send a request there. */
const settings: Record<string, (session: Session, url: string, name: string) => Promise<number>> = {
  'a webhook': (session, target, channelName) =>
    statusOf(
      session.post('/api/v3/data/notify/channel/add', {
        channelName,
        channelTypeFlag: 'WEBHOOK',
        target,
        credential: webhookSecret,
      }),
    ),
  'an SMS gateway': (session, url, channelName) =>
    statusOf(
      session.post('/api/v3/data/notify/channel/add', {
        channelName,
        channelTypeFlag: 'SMS',
        target: '+4915112345678',
        channelExt: { url, body: '{"to":"{{to}}","text":"{{text}}"}' },
      }),
    ),
  'a model provider': (session, baseUrl, name) =>
    statusOf(
      session.post('/api/v3/agentic/provider/config/add', {
        name,
        providerType: 0,
        baseUrl,
        apiKey: 'sk-1',
      }),
    ),
};

const statusOf = async (answer: Promise<{ status: number }>): Promise<number> =>
  (await answer).status;

describe.each(Object.entries(settings))('%s', (kind, add) => {
  it('is never this machine, however it is spelled', async () => {
    const taken: string[] = [];
    for (const [index, host] of loopback.entries()) {
      const status = await add(world.admin, `http://${host}:${canary.port}/`, `spelling-${index}`);
      if (![400, 422].includes(status)) taken.push(`${host}: ${status}`);
    }
    expect(taken).toEqual([]);
    expect(canary.connections()).toBe(0);
  });

  it('is not the model of the operator, which the platform itself may ask', async () => {
    const { origin } = new URL(operatorsModel.baseUrl);
    expect(await add(world.admin, origin, 'operators')).toBe(422);
    expect(operatorsModel.requests).toEqual([]);
  });

  it('may be anywhere on the internet', async () => {
    const url = 'https://receiver.example.com/path';
    expect(await add(world.admin, url, kind.replaceAll(' ', '-'))).toBe(200);
  });
});

describe('what the operator opened for models', () => {
  it('is no webhook or SMS gateway of a tenant, and the other way round', async () => {
    const { host, origin } = new URL(operatorsModel.baseUrl);
    const outcomes: Record<string, number[]> = {};
    for (const prefix of ['', 'provider:', 'webhook:', 'sms:']) {
      const open = await startWorld({ environment: { SVC_EGRESS_ALLOW: `${prefix}${host}` } });
      outcomes[prefix] = [];
      for (const [kind, add] of Object.entries(settings))
        outcomes[prefix].push(await add(open.admin, origin, kind.replaceAll(' ', '-')));
      await open.stop();
    }
    expect(outcomes).toEqual({
      '': [422, 422, 200],
      'provider:': [422, 422, 200],
      'webhook:': [200, 422, 422],
      'sms:': [422, 200, 422],
    });
  });
});
