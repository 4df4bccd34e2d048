import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { say, startModel } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const FALLBACK = { temperature: 0.9, max_tokens: 900 };

/** docs/specification/assistant.md, Session (svc_session): session_ext is carried into the next turn. */
describe('the options of a turn', () => {
  let world: World;

  const start = async (): Promise<void> => {
    world = await startWorld({
      database: data,
      environment: {
        AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
        AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
        AGENTIC_FALLBACK_OPENAI_MODEL: 'fallback-model',
        AGENTIC_FALLBACK_OPENAI_TEMPERATURE: String(FALLBACK.temperature),
        AGENTIC_FALLBACK_OPENAI_MAX_TOKENS: String(FALLBACK.max_tokens),
        SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      },
    });
  };
  const restart = async (): Promise<void> => {
    await world.halt();
    await start();
  };
  /** What the model was sent in a turn of this conversation. */
  const sent = async (conversationId: string, more: object = {}) => {
    await chat(world.admin, 'hello', { conversationId, ...more });
    return model.requests.at(-1);
  };
  const sessionExt = async (conversationId: string) => {
    const { body } = await world.admin.get(`${AGENTIC}/session/get_by_conversation_id`, {
      conversation_id: conversationId,
    });
    return body.data;
  };

  const data = prepared(() => freshDatabase());
  const model = started(() => startModel(() => say('Hello.')));
  beforeAll(async () => {
    await start();
  });
  afterAll(async () => {
    await world.stop();
  });

  it('are those of the fallback variables where nobody says anything', async () => {
    expect(await sent('plain')).toMatchObject({ model: 'fallback-model', ...FALLBACK });
  });

  it('are those of the conversation from then on, also after a restart; the request wins', async () => {
    const asked = { temperature: 1.4, max_tokens: 140, reasoning: true };
    expect(await sent('kept', asked)).toMatchObject({ temperature: 1.4, max_tokens: 140 });
    expect(await sent('kept')).toMatchObject({ temperature: 1.4, max_tokens: 140 });
    await restart();
    expect(await sent('kept')).toMatchObject({ temperature: 1.4, max_tokens: 140 });
    expect(await sent('kept', { temperature: 0 })).toMatchObject({
      temperature: 0,
      max_tokens: 140,
    });
    expect(await sent('kept')).toMatchObject({ temperature: 0, max_tokens: 140 });
    expect(await sessionExt('kept')).toMatchObject({
      sessionExt: { temperature: 0, maxTokens: 140, reasoningEnabled: true },
    });
    expect(await sent('another')).toMatchObject(FALLBACK);
  });

  it("are those of the model's configuration before the fallback's, and after the conversation's", async () => {
    const { admin } = world;
    const providerId = await addProvider(admin, {
      name: 'vendor',
      baseUrl: model.baseUrl,
      apiKey: 'k',
    });
    for (const [name, temperature, defaultFlag] of [
      ['usual', 0.3, 'DEFAULT'],
      ['other', 0.5, 'NOT_DEFAULT'],
    ]) {
      await admin.data(`${AGENTIC}/model/config/add`, {
        model: name,
        providerId,
        temperature,
        maxTokens: 300,
        defaultFlag,
      });
    }
    expect(await sent('configured')).toMatchObject({
      model: 'usual',
      temperature: 0.3,
      max_tokens: 300,
    });
    expect(await sent('chosen', { model: 'other' })).toMatchObject({
      model: 'other',
      temperature: 0.5,
    });
    await restart();
    expect(await sent('chosen')).toMatchObject({ model: 'other', temperature: 0.5 });
    expect(await sent('chosen', { temperature: 1.1 })).toMatchObject({
      model: 'other',
      temperature: 1.1,
      max_tokens: 300,
    });
    expect(await sent('chosen', { model: 'usual' })).toMatchObject({
      model: 'usual',
      temperature: 1.1,
    });
    expect(await sent('kept')).toMatchObject({ model: 'usual', temperature: 0, max_tokens: 140 });
  });

  it('may be set and read by the conversation itself, unknown ones left out', async () => {
    await sent('set');
    const { body } = await world.admin.post(`${AGENTIC}/session/update`, {
      conversationId: 'set',
      sessionExt: { model: 'other', temperature: 0.1, reasoningEnabled: false, colour: 'red' },
    });
    expect(body.data).toMatchObject({
      sessionExt: { model: 'other', temperature: 0.1, reasoningEnabled: false },
    });
    expect(JSON.stringify(body.data)).not.toContain('colour');
    expect(await sent('set')).toMatchObject({ model: 'other', temperature: 0.1 });
  });
});
