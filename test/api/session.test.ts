import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { byConversationId } from '../../src/agentic/session/session.ts';
import { chat } from '../support/people/chat.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic';
const Records = z.object({
  total: z.number(),
  records: z.array(z.looseObject({ conversationId: z.string(), title: z.string() })),
});

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
const session = prepared(() => world.admin);
const other = prepared(() => world.tenant('other'));

const ofConversation = (conversationId: string) => ({ conversation_id: conversationId });

describe('200', () => {
  it('lists own conversations by their last turn, titled with the first question', async () => {
    await chat(session, 'list devices', { conversationId: 'first' });
    world.clock.shift(1_000);
    await chat(session, 'who am I?', { conversationId: 'second' });
    world.clock.shift(1_000);
    await chat(session, 'list devices again', { conversationId: 'first' });
    const listed = Records.parse(await session.data(`${AGENTIC}/session/list`, {}));
    expect(listed.records.map(({ conversationId, title }) => [conversationId, title])).toEqual([
      ['first', 'list devices'],
      ['second', 'who am I?'],
    ]);
    const filtered = await session.data(`${AGENTIC}/session/list`, { title: 'WHO' });
    expect(Records.parse(filtered).total).toBe(1);
  });

  it('renames and merges preferences, which the next turn then uses', async () => {
    await chat(session, 'hello', { conversationId: 'renamed', temperature: 0.1 });
    const updated = await session.data(`${AGENTIC}/session/update`, {
      conversationId: 'renamed',
      title: 'Mine',
      sessionExt: { maxTokens: 50 },
    });
    expect(updated).toMatchObject({
      title: 'Mine',
      sessionExt: { temperature: 0.1, maxTokens: 50 },
    });
    await chat(session, 'hello again', { conversationId: 'renamed' });
    const now = await session.get(
      `${AGENTIC}/session/get_by_conversation_id`,
      ofConversation('renamed'),
    );
    expect(now.body.data).toMatchObject({
      title: 'Mine',
      sessionExt: { temperature: 0.1, maxTokens: 50 },
    });
  });

  it('deletes a conversation with its messages, and keeps its actions', async () => {
    const site = await onboardVirtual(world, 'plant');
    const { pending } = await chat(session, "set plant device's plant set-point to 22", {
      conversationId: 'deleted',
    });
    expect(pending).toMatchObject([{ deviceId: site.deviceId, proposedValue: '22' }]);
    const gone = await session.post(
      `${AGENTIC}/session/delete`,
      undefined,
      ofConversation('deleted'),
    );
    expect(gone.body).toMatchObject({ ok: true, data: true });
    const found = await session.get(
      `${AGENTIC}/session/get_by_conversation_id`,
      ofConversation('deleted'),
    );
    expect(found.status).toBe(404);
    const said = await session.get(`${AGENTIC}/message/list`, ofConversation('deleted'));
    expect(said.body.data).toEqual([]);
    const kept = await session.get(`${AGENTIC}/action/pending`, ofConversation('deleted'));
    expect(kept.body.data).toMatchObject([{ actionId: pending[0]?.actionId }]);
  });
});

describe('400', () => {
  it('refuses preferences out of range and blank ids', async () => {
    const bad = [
      { conversationId: 'x', sessionExt: { temperature: 3 } },
      { conversationId: 'x', sessionExt: { maxTokens: 0 } },
      { conversationId: ' ' },
      { conversationId: 'x', title: '' },
    ];
    for (const body of bad) {
      expect((await session.post(`${AGENTIC}/session/update`, body)).status).toBe(400);
    }
  });
});

describe('404', () => {
  it("is the answer for another tenant's conversation exactly as for a missing one, which has no messages", async () => {
    await chat(session, 'hello', { conversationId: 'mine' });
    const ask = async (conversationId: string) => {
      const query = ofConversation(conversationId);
      const answers = [
        await other.get(`${AGENTIC}/session/get_by_conversation_id`, query),
        await other.get(`${AGENTIC}/message/list`, query),
        await other.post(`${AGENTIC}/session/update`, { conversationId, title: 'Theirs' }),
        await other.post(`${AGENTIC}/session/delete`, { conversationId }),
      ];
      return answers.map(({ status, body }) => ({ status, body }));
    };
    const foreign = await ask('mine');
    expect(foreign.map(({ status }) => status)).toEqual([404, 200, 404, 404]);
    expect(foreign).toEqual(await ask('missing'));
  });

  it('is the answer for a conversation of another user of the same tenant', async () => {
    const colleague = { ...agentIn(session), principalId: '987654' };
    await expect(
      byConversationId(world.app, colleague, { conversationId: 'first' }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('lets the same conversation id be free for another tenant', async () => {
    const { text } = await chat(other, 'hello', { conversationId: 'mine' });
    expect(text).toContain('scripted demo model');
    const { body } = await other.get(`${AGENTIC}/message/list`, ofConversation('mine'));
    expect(body.data).toHaveLength(2);
  });
});
