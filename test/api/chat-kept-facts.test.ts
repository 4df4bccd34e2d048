import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { say, startModel } from '../support/neighbours/model.ts';
import { addProvider, change } from '../support/neighbours/providers.ts';
import { chatAnswer, Completion, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { openMeter } from '../support/trips/meter.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { type OtherGateway, otherGateway } from '../support/world/other-node.ts';
import { started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';

/** Turns run in one process and changes are made in another; no time passes for the caches. */
describe('models and budgets that a process keeps for its turns', () => {
  let world: World;
  let here: Session;
  let elsewhere: Session;
  let second: OtherGateway;
  let providerId: string;
  let conversationId: string;
  const vendor = started(() => startModel(() => say('Well.')));
  beforeAll(async () => {
    const { host } = new URL(vendor.baseUrl);
    world = await startWorld({ environment: { SVC_EGRESS_ALLOW: host } });
    here = world.admin;
    second = await otherGateway(world.app);
    elsewhere = { ...here, base: second.base };
    providerId = await addProvider(elsewhere, { name: 'vendor', baseUrl: vendor.baseUrl });
    await configure('first', { defaultFlag: 'DEFAULT' });
  });
  afterAll(async () => {
    second.close();
    await world.stop();
  });
  beforeEach(async () => {
    conversationId = fresh('talk');
    await ask();
  });

  const configure = (model: string, more: object) =>
    elsewhere.data(`${AGENTIC}/model/config/add`, { model, providerId, ...more });
  const ask = () => chatAnswer(here, question('hello', { conversationId }));
  const answering = async () => Completion.parse((await ask()).body).model;

  it('are read once', async () => {
    const meter = openMeter();
    const texts = (await meter.tripsOf(ask)).flat().join('\n');
    meter.close();
    expect(texts).toContain('svc_message');
    expect(texts).not.toMatch(/svc_model_provider|svc_model_config|budget/);
  });

  it('are those of the moment when a model is added, changed and removed', async () => {
    expect(await answering()).toBe('first');
    const id = z.coerce.string().parse(await configure('second', { defaultFlag: 'DEFAULT' }));
    expect(await answering()).toBe('second');
    await elsewhere.data(`${AGENTIC}/model/config/delete`, { id });
    expect(await answering()).toBe('first');
  });

  it('end with their provider', async () => {
    await change(elsewhere, { id: providerId, enableFlag: 'DISABLE' });
    expect((await ask()).body).not.toMatchObject({ model: 'first' });
    await change(elsewhere, { id: providerId, enableFlag: 'ENABLE' });
    expect(await answering()).toBe('first');
  });

  it('are those of the moment when a budget is set and removed', async () => {
    const budget = { kind: 'tenant', unit: 'tokens', period: 'day', amount: '1' };
    const id = z.coerce.string().parse(await elsewhere.data(`${AGENTIC}/usage/budget/add`, budget));
    expect((await ask()).status).toBe(429);
    await elsewhere.data(`${AGENTIC}/usage/budget/delete`, { id });
    expect((await ask()).status).toBe(200);
  });
});
