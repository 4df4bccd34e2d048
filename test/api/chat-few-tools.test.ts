import { beforeEach, describe, expect, it } from 'vitest';

import { tools as all } from '../../tools/index.ts';
import { tokensIn } from '../../tools/shape/tokens.ts';
import { listed } from '../support/cases/offered.ts';
import { call, say, type Sent } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const models = prepared(async () => {
  const providerId = await addProvider(session, {
    name: 'local',
    baseUrl: chatWorld.model.baseUrl,
  });
  for (const config of [
    { model: 'small:8b' },
    { model: 'large' },
    { model: 'large, few', parameters: { tools: 10 } },
    { model: 'small:4b, all', parameters: { tools: 64 } },
  ])
    await session.data('/api/v3/agentic/model/config/add', { ...config, providerId });
  return { small: 'small:8b', large: 'large', few: 'large, few', whole: 'small:4b, all' };
});

let before = 0;
beforeEach(() => {
  before = chatWorld.model.requests.length;
  chatWorld.answer(() => say('Fine.'));
});
const rounds = (): Sent[] => chatWorld.model.requests.slice(before);
const offeredIn = (sent: Sent | undefined) => sent?.tools?.map((tool) => tool.function.name) ?? [];
async function offered(content: string, more: object): Promise<string[]> {
  await chat(session, content, more);
  return offeredIn(rounds().at(-1));
}
const sizeOf = ({ messages, tools }: Sent): number => tokensIn(JSON.stringify({ messages, tools }));

describe('a small model', () => {
  it('is listed ten tools, with which a request has at most 40 % of the tokens', async () => {
    const question = 'How warm is boiler 2, and is that too warm?';
    expect(await offered(question, { model: models.large })).toEqual(listed());
    for (const model of [models.small, models.few]) {
      const names = await offered(question, { model });
      expect(names).toHaveLength(10);
      expect(names).toEqual(
        expect.arrayContaining(['searchDevices', 'getLatestPointValue', 'searchTools']),
      );
    }
    const [large, small] = rounds();
    if (!large || !small) throw new Error('the model was not asked');
    expect(sizeOf(small)).toBeLessThanOrEqual(0.4 * sizeOf(large));
  });

  it('is listed those that its question names, and those that a person sets', async () => {
    const { small, whole } = models;
    expect(await offered('Which changes were made to profiles?', { model: small })).toEqual(
      expect.arrayContaining(['searchChanges', 'searchProfiles', 'searchTools']),
    );
    expect(await offered('哪些设备离线了？', { model: small })).toEqual(
      expect.arrayContaining(['searchDevices', 'searchAlarms', 'searchTools']),
    );
    const choice = { type: 'function', function: { name: 'searchDrivers' } };
    expect(await offered('Go.', { model: small, tool_choice: choice })).toContain('searchDrivers');
    expect(await offered('Go.', { model: whole })).toEqual(listed());
  });

  it('has what it finds in its list from the next round on, and runs it', async () => {
    chatWorld.answer((sent) => {
      const said = inTurn(sent);
      if (said === 0) return call(['searchTools', { words: 'history of commands' }]);
      return said === 2 ? call(['searchCommands', {}]) : say('None.');
    });
    await chat(session, 'Hello.', { model: models.small });
    const [first, second, third] = rounds();
    expect(offeredIn(first)).not.toContain('searchCommands');
    expect(offeredIn(second)).toContain('searchCommands');
    expect(results(third)).toMatchObject([
      { tools: expect.arrayContaining([expect.objectContaining({ name: 'searchCommands' })]) },
      { records: [] },
    ]);
    // Each turn begins with its own list.
    chatWorld.answer(() => say('Fine.'));
    expect(await offered('Hello.', { model: models.small })).not.toContain('searchCommands');
  });

  it('has the tool that says what became of a proposal in its list after it', async () => {
    const { deviceId, pointId } = await onboard(session, 'boiler');
    chatWorld.answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { deviceId, pointId, value: 21 }])
        : say('It is proposed.'),
    );
    await chat(session, 'Set the outlet set-point of boiler 1 to 21.', { model: models.small });
    const [first, second] = rounds();
    expect(offeredIn(first)).not.toContain('lookupActionById');
    expect(offeredIn(second)).toContain('lookupActionById');
  });

  it('finds each tool by its title', async () => {
    const able = all.filter(({ opens }) => !opens);
    const missing: string[] = [];
    for (const { name, title } of able) {
      chatWorld.answer((sent) =>
        inTurn(sent) === 0 ? call(['searchTools', { words: title }]) : say('Fine.'),
      );
      before = chatWorld.model.requests.length;
      if (!(await offered('Hello.', { model: models.small })).includes(name)) missing.push(name);
    }
    expect(missing).toEqual([]);
  });
});
