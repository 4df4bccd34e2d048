import { beforeAll, expect, it } from 'vitest';

import { tools } from '../../tools/index.ts';
import { casesOf, missing } from '../support/cases/foreign-cases.ts';
import { fieldsOf, isId } from '../support/cases/input-shape.ts';
import { populate } from '../support/cases/populate.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { prepared, started } from '../support/world/prepared.ts';

const chat = started(startChatWorld);
beforeAll(() => {
  chat.answer(() => say('hello'));
});
const mine = prepared(() => chat.world.tenant('mine'));
const own = prepared(() => populate(chat.world, mine));
const foreign = prepared(async () => populate(chat.world, await chat.world.tenant('theirs')));

/** What a model that asks for just this is told. */
async function told(name: string, input: Record<string, unknown>): Promise<string> {
  chat.answer((sent) => (inTurn(sent) === 0 ? call([name, input]) : say('done')));
  const response = await fetch(`${chat.world.base}/api/v3/agentic/chat/completions`, {
    method: 'POST',
    headers: { ...mine.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'go' }] }),
  });
  expect(response.status).toBe(200);
  await response.json();
  return JSON.stringify(results(chat.model.requests.at(-1)));
}

const withIds = tools.filter(({ input }) => fieldsOf(input).some(({ name }) => isId(name)));

it.each(withIds)(
  'a model learns nothing from an id of another tenant: $name',
  async ({ name, input }) => {
    for (const { field, kind, input: build } of casesOf(
      { center: 'tools', path: `/${name}`, input },
      own,
    )) {
      const [theirs, nobodys] = [foreign[kind], missing(kind)];
      const same = (text: string, id: string): string =>
        text.replaceAll(new RegExp(`(\\\\*")${id}\\1`, 'g'), '<id>');
      expect(same(await told(name, build(theirs)), theirs), field).toBe(
        same(await told(name, build(nobodys)), nobodys),
      );
    }
  },
);
