import { describe, expect, it } from 'vitest';

import { frame, say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { ErrorBody, question } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';

const TURNS_OF_ONE = 8;
const TURNS_OF_ALL = 64;

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);

/** The turns of a chat server, which has one key for its people. */
function server() {
  const leaving = new AbortController();
  // An answer that is not held is collected, and its turn left.
  const held: Response[] = [];
  const begin = async (more: object, headers: Record<string, string> = {}): Promise<Response> => {
    const answer = await fetch(`${session.base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers, ...headers },
      body: JSON.stringify(question('hello', { stream: true, ...more })),
      signal: leaving.signal,
    });
    held.push(answer);
    return answer;
  };
  return { begin, [Symbol.dispose]: () => leaving.abort() };
}

const left = ({ headers }: Response) => headers.get('x-ratelimit-remaining-requests');

describe('people behind one key', () => {
  it('have turns of their own, by the field or by the header of Open WebUI', async () => {
    chatWorld.answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(frame({ choices: [{ index: 0, delta: { content: 'Well' } }] }));
    });
    using people = server();
    const ann = { 'x-openwebui-user-id': 'ann' };
    for (let turn = 1; turn <= TURNS_OF_ONE; turn += 1)
      expect((await people.begin({}, ann)).status).toBe(200);
    const refused = await people.begin({ user: 'ann' });
    expect(refused.status).toBe(429);
    expect(ErrorBody.parse(await refused.json()).error.message).toContain('under way');
    const bob = await people.begin({ user: 'bob' }, ann);
    expect([bob.status, left(bob)]).toEqual([200, '7']);
    for (let user = TURNS_OF_ONE + 1; user < TURNS_OF_ALL; user += 1)
      expect((await people.begin({ user: `user ${user}` })).status).toBe(200);
    expect((await people.begin({ user: 'one more' })).status).toBe(429);
  });

  it('are counted apart', async () => {
    chatWorld.answer(() => say('All is well.'));
    using people = server();
    await (await people.begin({}, { 'x-openwebui-user-id': 'carol' })).text();
    const used = await session.data('/api/v3/agentic/usage/summary', undefined, { by: 'endUser' });
    expect(used).toContainEqual(expect.objectContaining({ group: 'carol', requests: 1 }));
  });
});
