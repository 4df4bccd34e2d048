import { describe, expect, it } from 'vitest';

import { chat } from '../support/people/chat.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic';

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });

describe('200', () => {
  it('lists what was said in order, with the tools and actions of each answer', async () => {
    const session = world.admin;
    await onboardVirtual(world, 'plant');
    const conversationId = 'talk';
    const { text } = await chat(session, 'what is the plant set-point of plant device?', {
      conversationId,
    });
    expect(text).toContain('20 °C');
    const { pending } = await chat(session, 'set the plant set-point of plant device to 22', {
      conversationId,
    });
    const actionId = pending[0]?.actionId ?? '';
    await session.data(`${AGENTIC}/action/confirm`, { action_id: actionId, wait_ms: 10_000 });
    const told = await chat(session, `status of ${actionId}`, { conversationId });
    expect(told.text).toContain('EXECUTED');
    expect(told.text).toMatch(/ became 22 °C: written \S+Z, read back, confirmed by /);
    const remembered = await chat(session, 'what happened to my action?', { conversationId });
    expect(remembered.text).toContain('EXECUTED');

    const { body } = await session.get(`${AGENTIC}/message/list`, { conversation_id: 'talk' });
    expect(body.data).toMatchObject([
      {
        messageIndex: 1,
        role: 'user',
        content: 'what is the plant set-point of plant device?',
      },
      {
        messageIndex: 2,
        role: 'assistant',
        status: 'OK',
        model: 'scripted',
        content: expect.stringContaining('20 °C'),
        contentExt: {
          text: expect.stringContaining('20 °C'),
          tools: [
            { name: 'searchDevices', domain: 'Device', title: 'Search devices', status: 'success' },
            { name: 'searchPoints', domain: 'Point', status: 'success' },
            { name: 'getLatestPointValue', domain: 'Point value', status: 'success' },
          ],
          actions: [],
        },
      },
      { messageIndex: 3, role: 'user' },
      { messageIndex: 4, role: 'assistant', contentExt: { actions: [actionId] } },
      {
        messageIndex: 5,
        role: 'assistant',
        contentExt: { actions: [actionId], receipt: { actionId, status: 'EXECUTED' } },
      },
      { messageIndex: 6, role: 'user' },
      { messageIndex: 7, role: 'assistant' },
      { messageIndex: 8, role: 'user' },
      { messageIndex: 9, role: 'assistant' },
    ]);
  });
});

describe('a conversation nothing was said in', () => {
  it('has no messages, as one of somebody else has none', async () => {
    await chat(world.admin, 'hello', { conversationId: 'of-admin' });
    const other = await world.tenant('listener');
    const asked = (session: typeof world.admin, conversationId: string) =>
      session.get(`${AGENTIC}/message/list`, { conversation_id: conversationId });
    expect(await asked(world.admin, 'none')).toMatchObject({ status: 200, body: { data: [] } });
    expect(await asked(other, 'of-admin')).toMatchObject({ status: 200, body: { data: [] } });
  });
});
