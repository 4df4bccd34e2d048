import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatFrames, question } from '../support/people/chat.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const Tool = z.looseObject({
  args: z.string(),
  result: z.string(),
  plots: z.array(z.looseObject({ from: z.string(), to: z.string() })),
});
const Messages = z.array(
  z.looseObject({
    role: z.string(),
    status: z.string(),
    contentExt: z.looseObject({
      actions: z.array(z.string()),
      facts: z.looseObject({ proposed: z.number() }).optional(),
      tools: z.array(Tool),
    }),
  }),
);

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboard(session, 'plant'));

async function kept(conversationId: string): Promise<z.infer<typeof Messages>> {
  const asked = { conversation_id: conversationId };
  return Messages.parse((await session.get('/api/v3/agentic/message/list', asked)).body.data);
}

const proposing = (): void => {
  const { deviceId, pointId } = site;
  const write = { deviceId, pointId, value: '21.5', reason: 'x'.repeat(200) };
  chatWorld.answer((sent) =>
    inTurn(sent) === 0
      ? call(['writePointValue', JSON.stringify(write, null, 10)])
      : say('Proposed.'),
  );
};

describe('a step of a turn', () => {
  it('is told and kept with what the tool was asked and said, in short', async () => {
    proposing();
    const { data } = await chatFrames(session, 'set it', { conversationId: 'in-short' });
    const told = data.filter((text) => text.includes('"type":"tool.')).join('\n');
    expect(told).toContain('\\"value\\": \\"21.5\\"');
    expect(told).toContain('\\"pendingConfirmation\\":true');
    const tool = (await kept('in-short')).at(-1)?.contentExt.tools[0];
    expect(tool?.args).toMatch(/"deviceId"[^…]*x…$/);
    expect(tool?.result).toMatch(/^\{"pendingConfirmation":true/);
    expect([tool?.args.length, tool?.result.length]).toEqual([300, 300]);
  });
});

describe('a look at values in time', () => {
  it('names the points and the window to draw', async () => {
    const { deviceId, pointId } = site;
    const window = { from: '2026-03-01T08:00:00Z', to: '2026-03-01T09:00:00Z' };
    chatWorld.answer((sent) =>
      inTurn(sent) === 0
        ? call(['getPointValueHistory', { deviceId, pointId, ...window }], ['searchDevices', {}])
        : say('Nothing came.'),
    );
    await chatFrames(session, 'what was it?', { conversationId: 'drawn' });
    const [history, search] = (await kept('drawn')).at(-1)?.contentExt.tools ?? [];
    expect(history?.plots).toMatchObject([{ deviceId, pointId, deviceName: 'plant device' }]);
    const hours = history?.plots.map(({ from, to }) =>
      [from, to].map((at) => new Date(at).toISOString().slice(11, 16)),
    );
    expect(hours).toEqual([['08:00', '09:00']]);
    expect(search?.plots).toEqual([]);
  });
});

describe('a client that leaves while a tool runs', () => {
  it('finds the proposal that it made with what was kept of the answer', async () => {
    proposing();
    const conversationId = 'left-while-proposing';
    const leaving = new AbortController();
    const response = await fetch(`${session.base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify(question('set it', { stream: true, conversationId })),
      signal: leaving.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    while (!heard.includes('tool.start')) heard += (await reader?.read())?.value ?? '';
    leaving.abort();
    const answers = await eventually(
      async () => (await kept(conversationId)).filter(({ role }) => role === 'assistant'),
      (found) => found.length === 1,
    );
    expect(answers).toMatchObject([{ status: 'UNFINISHED' }]);
    expect(answers[0]?.contentExt.actions).toHaveLength(1);
    expect(answers[0]?.contentExt.facts).toMatchObject({ proposed: 1 });
    chatWorld.answer(() => say('It waits.'));
    expect((await chat(session, 'and now?', { conversationId })).text).toBe('It waits.');
  });
});
