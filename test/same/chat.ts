import type { Sent } from '../support/neighbours/model.ts';
import { call, type Reply, say } from '../support/neighbours/model.ts';
import type { Session } from '../support/people/session.ts';
import type { Plant } from './mcp.ts';
import { type Artefact, ask } from './record.ts';

/** The model: a question that names a tool calls it once; anything else gets one word, which no stream can split. */
export function reply({ messages }: Sent): Reply {
  const last = messages.at(-1);
  const asked = /^call (\w+) (.*)$/.exec(last?.role === 'user' ? (last.content ?? '') : '');
  return asked ? call([asked[1] ?? '', asked[2] ?? '']) : say('Well.');
}

/** Turns over both dialects, at once and streamed. */
export async function chat({ base, headers }: Session, plant: Plant): Promise<Artefact> {
  const artefact: Artefact = new Map();
  const write = { deviceId: plant.deviceId, pointId: plant.target, value: '22', reason: 'cold' };
  const questions = [
    'hello',
    `call searchDevices {}`,
    `call writePointValue ${JSON.stringify(write)}`,
    'call none {}',
    'call searchDevices {"nothing":1}',
  ];
  const turns = (path: string, asked: (content: string) => object) => async () => {
    for (const stream of [false, true])
      for (const content of questions)
        await ask(artefact, `${path} ${stream ? 'streamed' : 'at once'}: ${content}`, base + path, {
          headers,
          body: { ...asked(content), stream },
        });
    for (const body of [
      {},
      { model: 'none', ...asked('hello') },
      { ...asked('hello'), stream: 'x' },
    ])
      await ask(artefact, `${path} ${JSON.stringify(body)}`, base + path, { headers, body });
    await ask(artefact, `${path} anonymous`, base + path, { body: asked('hello') });
  };
  await turns('/api/v3/agentic/chat/completions', (content) => ({
    messages: [{ role: 'user', content }],
  }))();
  await turns('/api/v3/agentic/v1/responses', (input) => ({ model: 'fake-1', input }))();
  await ask(artefact, 'models', `${base}/api/v3/agentic/v1/models`, { headers });
  return artefact;
}
