import { beforeEach, describe, expect, it } from 'vitest';

import { listed } from '../support/cases/offered.ts';
import { call, say, type Sent } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer } from '../support/people/chat.ts';
import { started } from '../support/world/prepared.ts';

let before = 0;
const rounds = (): Sent[] => chatWorld.model.requests.slice(before);
const offered = () => rounds()[0]?.tools?.map((tool) => tool.function.name) ?? [];
const chatWorld = started(startChatWorld);

beforeEach(() => {
  before = chatWorld.model.requests.length;
});

describe('a tool that is not in the list', () => {
  it('is found and run in the chat as over MCP, and is told and kept under its own name', async () => {
    const session = chatWorld.world.admin;
    const calls: [string, object][] = [
      ['searchTools', { words: 'search proposals' }],
      ['runTool', { name: 'searchActions', arguments: '{"since":1}' }],
      ['searchActions', { since: 2 }],
      ['runTool', { name: 'readPointValue', arguments: '{"pointId":"1"}' }],
      ['runTool', { name: 'noSuchThing' }],
    ];
    chatWorld.answer((sent) => {
      const next = calls[inTurn(sent) / 2];
      return next ? call(next) : say('Done.');
    });
    const { events } = await chat(session, 'what was proposed?', { conversationId: 'found' });
    expect(offered()).toEqual(listed());
    expect(offered()).not.toContain('searchActions');
    expect(results(rounds().at(-1))).toMatchObject([
      {
        tools: [
          { name: 'searchActions', callWith: 'runTool' },
          { name: 'searchWaitingDevices' },
          { name: 'searchRules' },
          { name: 'proposeUndo', callWith: 'proposeTool' },
        ],
        others: expect.any(Array),
      },
      { records: expect.any(Array) },
      { records: expect.any(Array) },
      { error: 'readPointValue is called by its name' },
      { error: 'There is no tool noSuchThing' },
    ]);
    const name = ['searchTools', 'searchActions', 'searchActions', 'readPointValue', 'noSuchThing'];
    const starts = events.filter(({ type }) => type === 'tool.start');
    expect(starts.map((event) => event['name'])).toEqual(name);
    const { body } = await session.get('/api/v3/agentic/message/list', {
      conversation_id: 'found',
    });
    const tools = name.map((own) => ({ name: own }));
    tools[1] = Object.assign(
      { name: 'searchActions' },
      { title: 'Search proposals', domain: 'Command' },
    );
    expect(body.data).toMatchObject([{}, { contentExt: { tools } }]);
  });

  it('is in the list of a request that names it', async () => {
    chatWorld.answer(() => say('Well.'));
    const named = { type: 'function', function: { name: 'searchActions' } };
    const messages = [{ role: 'user', content: 'proposals?' }];
    await chatAnswer(chatWorld.world.admin, { messages, tool_choice: named });
    expect(offered()).toContain('searchActions');
    before = chatWorld.model.requests.length;
    const allowed_tools = { mode: 'auto', tools: [named] };
    await chatAnswer(chatWorld.world.admin, {
      messages,
      tool_choice: { type: 'allowed_tools', allowed_tools },
    });
    expect(offered()).toEqual(['searchActions']);
  });
});
