import OpenAI from 'openai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { call, type FakeModel, refuse, say } from '../support/neighbours/model.ts';
import { addProvider, breakKey } from '../support/neighbours/providers.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type ChatWorld, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, ErrorBody, question, withFacts } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import type { World } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';

let world: World;
let model: FakeModel;
let answer: ChatWorld['answer'];
const chatWorld = started(startChatWorld);
beforeAll(() => {
  ({ world, model, answer } = chatWorld);
});

beforeEach(() => {
  answer(() => say('All is well.'));
});

const at = (more: object) => ({ baseUrl: model.baseUrl, ...more });
const update = (session: Session, noun: 'provider' | 'model', body: object) =>
  session.data(`${AGENTIC}/${noun}/config/update`, body);
const addModel = (session: Session, body: object): Promise<string> =>
  session.data(`${AGENTIC}/model/config/add`, body).then(String);
const used = async (session: Session, more: object = {}): Promise<string> =>
  (await chat(session, 'hi', more)).completion.model;

describe('the choice of a model', () => {
  it("takes the tenant's own provider before the fallback, with its own key", async () => {
    const tenant = await world.tenant('chooser');
    await addProvider(tenant, at({ name: 'ours', model: 'own-1', apiKey: 'own-key' }));
    await addProvider(tenant, at({ name: 'other', model: 'own-2', apiKey: 'other-key' }));
    expect(await used(tenant)).toBe('own-1');
    expect(model.keys.at(-1)).toBe('Bearer own-key');
    expect(await used(tenant, { model: 'own-2' })).toBe('own-2');
    expect(model.keys.at(-1)).toBe('Bearer other-key');
    expect(await used(tenant, { model: 'other/own-2' })).toBe('own-2');
    expect(await used(world.admin)).toBe('fake-1');
    expect(model.keys.at(-1)).toBe('Bearer fallback-key');
  });

  it('takes the model of that name, else the preferred one, else the default, else what else is enabled', async () => {
    const tenant = await world.tenant('models');
    const first = await addProvider(tenant, at({ name: 'first', model: 'unused', apiKey: 'k1' }));
    const second = await addProvider(tenant, at({ name: 'second', apiKey: 'k2' }));
    const a = await addModel(tenant, { model: 'a', providerId: first });
    expect(await used(tenant)).toBe('a');
    const b = await addModel(tenant, { model: 'b', providerId: second, defaultFlag: 'DEFAULT' });
    expect(await used(tenant)).toBe('b');
    expect(model.keys.at(-1)).toBe('Bearer k2');
    expect(await used(tenant, { model: 'a' })).toBe('a');
    await update(tenant, 'model', { id: b, enableFlag: 'DISABLE' });
    expect(await used(tenant)).toBe('a');
    expect(await used(tenant, { conversationId: 'stays' })).toBe('a');
    await update(tenant, 'provider', { id: first, enableFlag: 'DISABLE' });
    expect(await used(tenant)).toBe('fake-1');
    await update(tenant, 'model', { id: b, enableFlag: 'ENABLE' });
    expect(await used(tenant)).toBe('b');
    await tenant.data(`${AGENTIC}/model/config/delete`, { id: b });
    await tenant.data(`${AGENTIC}/model/config/delete`, { id: a });
    await update(tenant, 'provider', { id: first, enableFlag: 'ENABLE', name: 'renamed' });
    expect(await used(tenant)).toBe('unused');
  });

  it('is refused with 404 for an unknown name, naming those there are', async () => {
    const tenant = await world.tenant('misnaming');
    await addProvider(tenant, at({ name: 'ours', model: 'own-1' }));
    for (const stream of [false, true]) {
      const { status, body } = await chatAnswer(tenant, question('hi', { model: 'gpt-9', stream }));
      expect(status).toBe(404);
      expect(body).toEqual({
        error: {
          message: 'There is no model "gpt-9"; there are: own-1',
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      });
    }
  });

  it('falls back to the default where the one that a conversation preferred is gone', async () => {
    const tenant = await world.tenant('preferring-gone');
    const providerId = await addProvider(tenant, at({ name: 'ours', model: 'own-1' }));
    const a = await addModel(tenant, { model: 'a', providerId });
    await addModel(tenant, { model: 'b', providerId, defaultFlag: 'DEFAULT' });
    const conversationId = 'prefers-a';
    expect(await used(tenant, { conversationId, model: 'a' })).toBe('a');
    expect(await used(tenant, { conversationId })).toBe('a');
    await tenant.data(`${AGENTIC}/model/config/delete`, { id: a });
    expect(await used(tenant, { conversationId })).toBe('b');
  });

  it('prefers the models of the default provider where no model is the default', async () => {
    const tenant = await world.tenant('preferring');
    await addProvider(tenant, at({ name: 'first', model: 'm-1' }));
    const second = await addProvider(tenant, at({ name: 'second', model: 'm-2' }));
    await update(tenant, 'provider', { id: second, defaultFlag: 'DEFAULT' });
    expect(await used(tenant)).toBe('m-2');
  });

  it('falls back only when no provider is usable, and tells the error of one that is down', async () => {
    const tenant = await world.tenant('falling');
    const id = await addProvider(tenant, at({ name: 'ours', model: 'own-1', apiKey: 'k' }));
    answer(() => refuse(500));
    const { status, body } = await chatAnswer(tenant, question('hi'));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.message).toBe(
      'The model provider failed; the provider says: HTTP 500: no',
    );
    answer(() => say('All is well.'));
    await breakKey(world, tenant, id);
    expect(await used(tenant)).toBe('fake-1');
    expect(model.keys.at(-1)).toBe('Bearer fallback-key');
  });

  it('sends the temperature and limit of the model unless the request has its own', async () => {
    const tenant = await world.tenant('warm');
    const providerId = await addProvider(tenant, at({ name: 'ours' }));
    await addModel(tenant, { model: 'm', providerId, temperature: 0.1, maxTokens: 55 });
    await chat(tenant, 'hi');
    expect(model.requests.at(-1)).toMatchObject({ model: 'm', temperature: 0.1, max_tokens: 55 });
    await chat(tenant, 'hi', { temperature: 1.5, max_tokens: 7 });
    expect(model.requests.at(-1)).toMatchObject({ temperature: 1.5, max_tokens: 7 });
    expect(model.keys.at(-1)).toBeUndefined();
  });

  it('sends a model that reasons what it takes, and says that a temperature is not', async () => {
    const tenant = await world.tenant('thinker');
    const providerId = await addProvider(tenant, at({ name: 'ours' }));
    await addModel(tenant, { model: 'gpt-5-mini', providerId, maxTokens: 55, reasoning: true });
    const turn = async (more: object) => {
      const { events } = await chat(tenant, 'hi', more);
      const { temperature, max_tokens, max_completion_tokens, reasoning_effort } =
        model.requests.at(-1) ?? {};
      expect([temperature, max_tokens]).toEqual([undefined, undefined]);
      const codes = events.flatMap(({ code }) => (code === undefined ? [] : code));
      return { max: max_completion_tokens, effort: reasoning_effort, codes };
    };
    expect(await turn({})).toEqual({ max: 55, effort: undefined, codes: [] });
    expect(await turn({ temperature: 1.5, max_tokens: 7 })).toEqual({
      max: 7,
      effort: undefined,
      codes: ['temperature_ignored'],
    });
    const conversationId = 'thinking';
    expect(await turn({ conversationId, reasoning: true })).toMatchObject({ effort: 'medium' });
    expect(await turn({ conversationId })).toMatchObject({ effort: 'medium' });
    expect(await turn({ conversationId, reasoning: false })).toMatchObject({ effort: undefined });
    await addModel(tenant, { model: 'plain', providerId });
    await chat(tenant, 'hi', { model: 'plain', reasoning: true, temperature: 0.3 });
    const sent = model.requests.at(-1);
    expect(sent).toMatchObject({ model: 'plain', temperature: 0.3, max_tokens: 2048 });
    expect(sent?.reasoning_effort).toBeUndefined();
  });

  it('offers no tools to a model that calls none, and runs none it asks for', async () => {
    const tenant = await world.tenant('toolless');
    const providerId = await addProvider(tenant, at({ name: 'ours' }));
    await addModel(tenant, { model: 'm', providerId, toolCall: false, stream: false });
    answer(() => call(['searchDevices', {}]));
    const { text, events } = await chat(tenant, 'hi');
    expect(text).toBe('The model answered nothing.');
    expect(events.map(({ type }) => type)).toEqual(['turn.start', 'facts', 'turn.end']);
    const sent = model.requests.at(-1);
    expect(sent?.tools).toBeUndefined();
    expect(sent?.stream).toBe(false);
    expect(JSON.stringify(sent?.messages[0])).toContain('Tools are switched off');
  });
});

describe('without a usable model', () => {
  it('is 503 with the reason', async () => {
    const bare = await startChatWorld({
      AGENTIC_FALLBACK_OPENAI_API_KEY: '',
      SVC_DEMO: 'off',
    });
    try {
      const tenant = await bare.world.tenant('keyless');
      const reason = async () => {
        const { status, body } = await chatAnswer(tenant, question('hi', { stream: true }));
        return [status, ErrorBody.parse(body).error.message];
      };
      expect(await reason()).toEqual([503, expect.stringContaining('No model is configured')]);
      const { baseUrl } = bare.model;
      const id = await addProvider(tenant, { name: 'broken', model: 'm', baseUrl, apiKey: 'k' });
      await breakKey(bare.world, tenant, id);
      expect(await reason()).toEqual([503, expect.stringContaining('key')]);
      expect(await tenant.data(`${AGENTIC}/model/list`)).toEqual([]);
    } finally {
      await bare.stop();
    }
  });
});

describe('the list of models', () => {
  it('names them with what they can do, and never an address or a key', async () => {
    const tenant = await world.tenant('lister');
    const ours = await addProvider(tenant, at({ name: 'ours', apiKey: 'secret-1' }));
    await addProvider(tenant, at({ name: 'other', model: 'plain', apiKey: 'secret-2' }));
    await addModel(tenant, { model: 'm-1', label: 'One', providerId: ours, vision: true });
    await addModel(tenant, { model: 'm-2', providerId: ours, enableFlag: 'DISABLE' });
    const listed = await tenant.data(`${AGENTIC}/model/list`);
    const abilities = { stream: true, toolCall: true, vision: false, reasoning: false };
    expect(listed).toEqual([
      {
        ...abilities,
        model: 'm-1',
        label: 'One',
        vision: true,
        temperature: 0.7,
        maxTokens: 2048,
        providerName: 'ours',
        defaultFlag: 'DEFAULT',
      },
      {
        ...abilities,
        model: 'plain',
        label: 'plain',
        providerName: 'other',
        defaultFlag: 'NOT_DEFAULT',
      },
    ]);
  });

  it("is what OpenAI's own client expects, also below /v1", async () => {
    const tenant = await world.tenant('openai');
    await addProvider(tenant, at({ name: 'ours', model: 'vendor/m-1' }));
    for (const base of [AGENTIC, `${AGENTIC}/v1`]) {
      const client = new OpenAI({
        baseURL: `${tenant.base}${base}`,
        apiKey: 'unused',
        maxRetries: 0,
        defaultHeaders: { ...tenant.headers, Authorization: null },
      });
      const { data } = await client.models.list();
      expect(data).toEqual([
        { id: 'vendor/m-1', object: 'model', created: expect.any(Number), owned_by: 'ours' },
      ]);
      expect(await client.models.retrieve('vendor/m-1')).toEqual(data[0]);
      await expect(client.models.retrieve('m-9')).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
        type: 'invalid_request_error',
      });
      const body = { model: 'vendor/m-1', messages: [{ role: 'user', content: 'hi' }] } as const;
      const { choices } = await client.chat.completions.create({
        ...body,
        messages: [...body.messages],
      });
      expect(choices[0]?.message.content).toEqual(withFacts('All is well.'));
      await expect(client.responses.create({ model: 'm', input: 'hi' })).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
        message: expect.stringContaining('vendor/m-1'),
      });
      await expect(client.models.list({ headers: { 'x-auth-token': null } })).rejects.toMatchObject(
        { status: 401, type: 'authentication_error' },
      );
    }
  });

  it('is open to a token that may chat, and to no other', async () => {
    const status = async (scope: string) => {
      const authorization = `Bearer ${await bearerFor(world.admin, { scope, audience: 'api' })}`;
      const response = await fetch(`${world.base}${AGENTIC}/models`, {
        headers: { authorization },
        signal: AbortSignal.timeout(10_000),
      });
      return response.status;
    };
    expect([await status('svc:chat'), await status('svc:read')]).toEqual([200, 403]);
  });
});
