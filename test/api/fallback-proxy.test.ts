import { expect, it } from 'vitest';

import { createLog } from '../../src/kernel/process/log.ts';
import { say, startModel } from '../support/neighbours/model.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { startConnectProxy } from '../support/proxies/connect-proxy.ts';
import { startWorld } from '../support/world/app.ts';

const SECRET = 'steam-kettle-41';
const AUTHORITY = 'models.plant.example:80';

it('is on the way of each request, and its login is in no answer and no log', async () => {
  await using started = new AsyncDisposableStack();
  const model = await startModel(() => say('I am here.'));
  started.defer(() => model.stop());
  const proxy = await startConnectProxy();
  started.defer(() => proxy.stop());
  proxy.lead(AUTHORITY, Number(new URL(model.baseUrl).port));
  proxy.demand(`plant:${SECRET}`);
  const logged: string[] = [];
  const world = await startWorld({
    environment: {
      // A name that the platform cannot resolve.
      AGENTIC_FALLBACK_OPENAI_BASE_URL: 'http://models.plant.example/v1',
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_PROXY: `http://plant:${SECRET}@${proxy.hostPort}`,
    },
    log: createLog('info', (line) => void logged.push(line)),
  });
  started.defer(() => world.stop());
  expect((await chat(world.admin, 'hello')).text).toBe('I am here.');
  expect(proxy.asked.map(({ authority }) => authority)).toEqual([AUTHORITY]);
  expect(model.keys).toEqual(['Bearer fallback-key']);
  proxy.answer(403);
  const refused = await chatAnswer(world.admin, question('and now?'));
  expect(JSON.stringify(refused.body)).toContain('it does not allow the target');
  expect(JSON.stringify([refused.body, logged])).not.toContain(SECRET);
  const basic = Buffer.from(`plant:${SECRET}`).toString('base64');
  expect(JSON.stringify([refused.body, logged])).not.toContain(basic);
});
