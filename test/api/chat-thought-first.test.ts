import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  type FakeModel,
  frame,
  type Reply,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { addProvider, listed } from '../support/neighbours/providers.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

const says = (...texts: string[]): Reply =>
  stream(
    ...texts.map((content) => frame({ choices: [{ delta: { content } }] })),
    frame({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
    'data: [DONE]\n\n',
  );
let reply: Reply = says('Well.');
const model = started((): Promise<FakeModel> => startModel(() => reply));
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: new URL(model.baseUrl).host } }),
);
const tenant = prepared(() => world.admin);

describe('a model whose template opens its thought', () => {
  it('is known by its first answer, and its later answers begin after the thought', async () => {
    const id = await addProvider(tenant, { name: 'ours', baseUrl: model.baseUrl });
    const config = { model: 'thinker', providerId: id };
    await tenant.data('/api/v3/agentic/model/config/add', config);
    const ask = async (): Promise<string> => (await chat(tenant, 'hi', { model: 'thinker' })).text;
    const learned = async (): Promise<unknown> =>
      (await listed(tenant)).map(
        (one) => z.looseObject({ learned: z.unknown() }).parse(one).learned,
      );
    const thinking = says('Six times', ' seven.\n', '</think>', '\n\nThe answer', ' is 42.');

    reply = thinking;
    // What was said cannot be taken back.
    expect(await ask()).toContain('</think>');
    expect(await learned()).toEqual([{ thinker: { thinksFirst: true } }]);
    expect(await ask()).toBe('The answer is 42.');
    // It is asked without thinking.
    reply = says('The answer', ' is 43.');
    expect(await ask()).toBe('The answer is 43.');
    expect(await learned()).toEqual([{ thinker: {} }]);

    await tenant.data('/api/v3/agentic/model/config/add', {
      model: 'configured',
      providerId: id,
      parameters: { thinksFirst: true },
    });
    reply = thinking;
    expect((await chat(tenant, 'hi', { model: 'configured' })).text).toBe('The answer is 42.');
  });
});
