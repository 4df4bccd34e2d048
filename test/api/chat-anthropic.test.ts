import { beforeAll, describe, expect, it } from 'vitest';

import { onboard } from '../support/devices/plant.ts';
import {
  type AnthropicSent,
  call,
  resultsIn,
  say,
  startAnthropicModel,
} from '../support/neighbours/anthropic-model.ts';
import type { Reply } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { chat, Chunk, chatFrames } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

let answer: (sent: AnthropicSent) => Reply;
const model = started(() => startAnthropicModel((sent) => answer(sent)));
const world = started(() =>
  startWorld({
    environment: { SVC_EGRESS_ALLOW: new URL(model.baseUrl).host },
  }),
);
const plant = prepared(() => onboard(world.admin));
beforeAll(async () => {
  const providerId = await addProvider(world.admin, {
    name: 'vendor',
    providerType: 'ANTHROPIC',
    baseUrl: model.baseUrl,
    apiKey: 'sk-1',
  });
  await world.admin.data('/api/v3/agentic/model/config/add', {
    model: 'claude-a',
    providerId,
    temperature: 0.3,
    maxTokens: 321,
  });
});

const asksAgain = ({ messages }: AnthropicSent): boolean =>
  messages.at(-1)?.content.some(({ type }) => type === 'tool_result') ?? false;

describe('a conversation with a model of provider type 1', () => {
  it('runs tools and answers, as with any other', async () => {
    answer = (sent) =>
      asksAgain(sent) ? say('There it is.') : call(['searchDevices', {}], ['noSuchTool', {}]);
    const { text, events, completion } = await chat(world.admin, 'which devices?');
    expect(text).toBe('Let me see.There it is.');
    expect(completion.model).toBe('claude-a');
    expect(completion.usage).toEqual({
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 30,
    });
    expect(events.map(({ type }) => type)).toEqual([
      'turn.start',
      'tool.start',
      'tool.end',
      'tool.start',
      'tool.end',
      'facts',
      'turn.end',
    ]);
    expect(resultsIn(model.requests.at(-1))).toMatchObject([
      { total: expect.any(Number) },
      { error: expect.stringContaining('no tool') },
    ]);
    expect(model.requests.at(-1)).toMatchObject({ model: 'claude-a', max_tokens: 321 });
    expect(model.keys.at(-1)).toBe('Bearer sk-1');
  });

  it('proposes a write, which a person confirms; the next turn knows what became of it', async () => {
    const { deviceId, target: pointId } = plant;
    answer = (sent) =>
      asksAgain(sent)
        ? say('Proposed.')
        : call(['writePointValue', { deviceId, pointId, value: '21.5' }]);
    const { data } = await chatFrames(world.admin, 'set it', { conversationId: 'c-1' });
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    const card = chunks.find(({ x_svc }) => x_svc?.type === 'action.pending')?.x_svc?.card;
    expect(card).toMatchObject({ status: 'PENDING', proposedValue: '21.5' });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    const { actionId } = card ?? {};
    await world.admin.data('/api/v3/agentic/action/confirm', {
      action_id: actionId,
      wait_ms: 10_000,
    });
    answer = () => say('It is so.');
    await chat(world.admin, 'and now?', { conversationId: 'c-1' });
    const told = JSON.stringify(model.requests.at(-1)?.system);
    expect(told).toContain(`action ${actionId}`);
    expect(told).toContain('EXECUTED');
  });

  it('goes without a temperature, and says so to who asked for one', async () => {
    answer = () => say('Warm enough.');
    const { events } = await chat(world.admin, 'hi', { temperature: 1.5 });
    expect(events.map(({ type }) => type)).toEqual(['turn.start', 'warning', 'facts', 'turn.end']);
    expect(events[1]).toMatchObject({ code: 'temperature_ignored' });
    const { data } = await chatFrames(world.admin, 'hi', { temperature: 1.5 });
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    expect(chunks.map(({ x_svc }) => x_svc?.type)).toContain('warning');
    const { events: without } = await chat(world.admin, 'hi');
    expect(without.map(({ type }) => type)).toEqual(['turn.start', 'facts', 'turn.end']);
  });

  it('ends after its last round, in which no tool may be called', async () => {
    let round = 0;
    answer = ({ tool_choice }) => {
      round += 1;
      return tool_choice ? say('Enough.') : call(['searchDevices', { deviceName: `d${round}` }]);
    };
    const { text } = await chat(world.admin, 'on and on');
    expect(text).toMatch(/Enough\.$/);
    expect(round).toBe(8);
  });
});
