import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { recordTurn } from '../../src/agentic/chat/answer/recording/recording.ts';
import { keepResponse } from '../../src/agentic/chat/response-store.ts';
import { frame, refuse, say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { question, withFacts } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const chatWorld = started(startChatWorld);
const clientOf = ({ base, headers }: Session): OpenAI =>
  new OpenAI({
    baseURL: `${base}/api/v3/agentic/v1`,
    apiKey: 'unused',
    maxRetries: 0,
    defaultHeaders: { ...headers, Authorization: null },
  });
const client = prepared(() => clientOf(chatWorld.world.admin));
const asked = { model: 'fake-1', input: 'which?', background: true } as const;
const refused = { status: 400, type: 'invalid_request_error' };

/** Says `before` at once and `after` when it is let; `left` is called when the platform asks the model no more. */
function slow(before: string, after: string, left = (): void => {}): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  chatWorld.answer(() => async (res) => {
    res.once('close', left);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (content: string, finish: string | null = null) =>
      frame({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
    res.write(chunk(before));
    await promise;
    res.end(`${chunk(after, 'stop')}data: [DONE]\n\n`);
  });
  return resolve;
}

/** The response once it has ended. */
const ended = (id: string) =>
  eventually(
    () => client.responses.retrieve(id),
    ({ status }) => status !== 'in_progress',
  );

describe('a response in the background', () => {
  it('is answered at once, is read until it has ended, and is gone on with', async () => {
    const go = slow('One ', 'device.');
    const made = await client.responses.create(asked);
    expect(made).toMatchObject({ status: 'in_progress', background: true, output: [] });
    expect(await client.responses.retrieve(made.id)).toEqual({ ...made, output_text: '' });
    expect((await client.responses.inputItems.list(made.id)).data).toHaveLength(1);
    go();
    const whole = await ended(made.id);
    expect(whole).toMatchObject({ status: 'completed', background: true, id: made.id });
    expect(whole.output_text).toEqual(withFacts('One device.'));
    expect(await client.responses.cancel(made.id)).toMatchObject({ status: 'completed' });
    chatWorld.answer(() => say('Yes.'));
    const next = await client.responses.create({
      model: 'fake-1',
      input: 'sure?',
      previous_response_id: made.id,
    });
    expect(next.conversation).toEqual(made.conversation);
    const sent = chatWorld.model.requests.at(-1)?.messages.slice(1);
    expect(sent?.map(({ content }) => content)).toEqual(['which?', 'One device.', 'sure?']);
  });

  it('goes on when the client of its stream is gone, and is followed from any event', async () => {
    const go = slow('One ', 'device.');
    const stream = await client.responses.create({ ...asked, stream: true });
    let id = '';
    let last = 0;
    for await (const event of stream) {
      if (event.type === 'response.created') ({ id } = event.response);
      last = event.sequence_number;
      if (event.type === 'response.output_text.delta') break;
    }
    const live = await client.responses.retrieve(id, { stream: true, starting_after: last });
    go();
    const numbers: number[] = [];
    let text = '';
    for await (const event of live) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(numbers).toEqual(numbers.map((_, at) => last + 1 + at));
    expect(`One ${text}`).toEqual(withFacts('One device.'));
    const again = await client.responses.retrieve(id, { stream: true });
    const types: string[] = [];
    for await (const event of again) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    // Its events are forgotten, and the response is not.
    chatWorld.world.clock.shift(5 * 60_000);
    const later = client.responses.stream({ response_id: id });
    expect((await later.finalResponse()).output_text).toEqual(withFacts('One device.'));
  });

  it('is cancelled with what there is of it', async () => {
    slow('One ', 'never said');
    const made = await client.responses.create(asked);
    await eventually(
      async () => chatWorld.model.requests.length,
      (count) => count > 0,
    );
    const stopped = await client.responses.cancel(made.id);
    expect(stopped.status).toBe('cancelled');
    expect(JSON.stringify(stopped.output)).not.toContain('never');
    expect((await client.responses.retrieve(made.id)).status).toBe('cancelled');
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled');
  });

  it('is of its principal: another credential follows, cancels and deletes it', async () => {
    const { base, data } = chatWorld.world.admin;
    const given = { keyName: 'maker', scopes: ['svc:chat'] };
    const { key } = z.object({ key: z.string() }).parse(await data('/api/v3/auth/key/add', given));
    const baseURL = `${base}/api/v3/agentic/v1`;
    const maker = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
    slow('One ', 'never said');
    const made = await maker.responses.create(asked);
    const live = await client.responses.retrieve(made.id, { stream: true });
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled');
    const followed = async () => {
      for await (const event of live) expect(event.type).toMatch(/^response\./);
    };
    await expect(followed()).rejects.toThrow('This answer was stopped');
    const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
    const before = chatWorld.model.requests.length;
    slow('One ', 'never said', left);
    const { id } = await maker.responses.create(asked);
    await eventually(
      async () => chatWorld.model.requests.length,
      (count) => count > before,
    );
    await client.responses.delete(id);
    await isLeft;
  });

  it('ends when it is deleted, and stays deleted', async () => {
    slow('One ', 'never said');
    const made = await client.responses.create(asked);
    await client.responses.delete(made.id);
    const next = { model: 'fake-1', input: 'and?', conversation: made.conversation?.id ?? '' };
    chatWorld.answer(() => say('Yes.'));
    expect((await client.responses.create(next)).output_text).toEqual(withFacts('Yes.'));
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('fails as its model does', async () => {
    chatWorld.answer(() => refuse(400));
    const { id } = await client.responses.create(asked);
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'invalid_value' } });
  });

  it('fails once its process is gone for as long as a turn may take', async () => {
    chatWorld.answer(() => say('Well.'));
    const made = await client.responses.create({ ...asked, background: false });
    const { app, clock, admin } = chatWorld.world;
    const lost = { ...JSON.parse(JSON.stringify(made)), background: true, status: 'in_progress' };
    await keepResponse(app, agentIn(admin), made.conversation?.id ?? '', lost, 'which?');
    expect((await client.responses.retrieve(made.id)).status).toBe('in_progress');
    const elsewhere = { status: 503, code: 'turn_elsewhere' };
    await expect(client.responses.cancel(made.id)).rejects.toMatchObject(elsewhere);
    const followed = client.responses.retrieve(made.id, { stream: true });
    await expect(followed).rejects.toMatchObject(elsewhere);
    clock.shift(151_000);
    expect(await client.responses.retrieve(made.id)).toMatchObject({
      status: 'failed',
      error: { message: 'It did not end in the time that a turn may take' },
    });
  });

  it('is one of eight of its principal at a time, stored, and for questions', async () => {
    const go = slow('One ', 'device.');
    const { base, headers } = chatWorld.world.admin;
    const resumable = await fetch(`${base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(question('which?', { stream: true, x_svc: { resumable: true } })),
    });
    const made = await Promise.all(Array.from({ length: 7 }, () => client.responses.create(asked)));
    await expect(client.responses.create(asked)).rejects.toMatchObject({ status: 429 });
    go();
    for (const { id } of made) expect((await ended(id)).status).toBe('completed');
    expect(await resumable.text()).toContain('[DONE]');
    const named = { ...refused, param: 'background' };
    const loose = client.responses.create({ ...asked, store: false });
    await expect(loose).rejects.toMatchObject(named);
    const metadata = { task: 'title_generation' };
    const title = client.responses.create({ ...asked, metadata });
    await expect(title).rejects.toMatchObject(named);
    chatWorld.answer(() => say('Well.'));
    const { id } = await client.responses.create({ ...asked, background: false });
    await expect(client.responses.cancel(id)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('not made in the background'),
    });
    await expect(client.responses.cancel('resp_none')).rejects.toMatchObject({ status: 404 });
  });

  it('is one of a hundred turns of its tenant that go on without a client', async () => {
    const { app, admin } = chatWorld.world;
    const recordings = Array.from({ length: 100 }, (_, at) => {
      const of = { ...agentIn(admin), principalId: String(1_000_000 + at) };
      return recordTurn(app, of, { turnId: `chatcmpl-${at}`, conversationId: null });
    });
    chatWorld.answer(() => say('Well.'));
    await expect(client.responses.create(asked)).rejects.toMatchObject({ status: 429 });
    for (const recording of recordings) recording.end('');
    expect((await client.responses.create(asked)).status).toBe('in_progress');
  });

  it('is followed by four clients, and by no fifth', async () => {
    const go = slow('One ', 'device.');
    const { id } = await client.responses.create(asked);
    const follow = () => client.responses.retrieve(id, { stream: true });
    const followed = await Promise.all([follow(), follow(), follow(), follow()]);
    await expect(follow()).rejects.toMatchObject({ status: 429 });
    go();
    for (const events of followed)
      for await (const event of events) expect(event.type).toMatch(/^response\./);
  });

  it('is refused before it begins where it would be too long to be read', async () => {
    const before = chatWorld.model.requests.length;
    const long = client.responses.create({ ...asked, instructions: 'x'.repeat(128_000) });
    await expect(long).rejects.toMatchObject({ ...refused, param: 'background' });
    expect(chatWorld.model.requests).toHaveLength(before);
  });

  it('is cancelled when its process stops in order, with what there is of it', async () => {
    slow('One ', 'never said');
    const before = chatWorld.model.requests.length;
    const made = await client.responses.create(asked);
    await eventually(
      async () => chatWorld.model.requests.length,
      (count) => count > before,
    );
    const { halt, environment } = chatWorld.world;
    await halt();
    const next = await startWorld({ database: { environment, remove: async () => {} } });
    const known = await clientOf(next.admin).responses.retrieve(made.id);
    await next.halt();
    expect(known).toMatchObject({ id: made.id, status: 'cancelled' });
  });
});
