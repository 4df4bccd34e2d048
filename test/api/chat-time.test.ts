import { once } from 'node:events';
import { createServer } from 'node:http';

import { describe, expect, it } from 'vitest';

import { chatCompletions } from '../../src/agentic/chat/serve.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { call, refuse, type Reply, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { question } from '../support/people/chat.ts';
import { TestClock } from '../support/world/clock.ts';
import { otherNode } from '../support/world/other-node.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const chatWorld = started(startChatWorld);

/** One turn behind a plain server, on a clock that stands still; `meanwhile` may move it. */
async function turn(
  change: Partial<Pick<App, 'config' | 'log'>> & { clock?: TestClock; caller?: Partial<Caller> },
  { stream = true, meanwhile = async () => {} } = {},
): Promise<{ status: number; text: string }> {
  const { caller: who, ...rest } = change;
  const app = otherNode(chatWorld.world.app, { clock: new TestClock(), ...rest });
  const caller: Caller = { ...agentIn(chatWorld.world.admin), ...who };
  const server = createServer((_req, res) => {
    const { signal } = new AbortController();
    void chatCompletions(app, caller, question('hello', { stream }), res, signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const answered = fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(20_000) });
    await meanwhile();
    const response = await answered;
    return { status: response.status, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('a turn that takes long', () => {
  it('is kept alive every fifteen seconds, ends after two minutes, and leaves no timer', async () => {
    const clock = new TestClock();
    const asked = Promise.withResolvers<void>();
    // Speaks often enough not to count as gone, but never to the point.
    const rambling: Reply = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': thinking\n\n', () => asked.resolve());
      clock.every(10_000, () => void res.write(': thinking\n\n'));
    };
    chatWorld.answer(() => rambling);
    const { text } = await turn(
      { clock },
      {
        meanwhile: async () => {
          await asked.promise;
          for (let at = 0; at < 13; at += 1) {
            await clock.advance(10_000);
            await new Promise((resolve) => {
              setTimeout(resolve, 50);
            });
          }
        },
      },
    );
    expect(text.match(/: keep-alive\n\n/g)?.length).toBeGreaterThanOrEqual(6);
    expect(text).toContain('one answer may take 120 s');
    expect(text).toContain('"stop":"deadline"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const RAMBLING = 1;
    expect(clock.pending).toBe(RAMBLING);
  });
});

describe('a client that takes nothing of its stream', () => {
  it('is left after thirty seconds, and is sent nothing meanwhile', async () => {
    const clock = new TestClock();
    const app = otherNode(chatWorld.world.app, { clock });
    const filled = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const written: string[] = [];
    chatWorld.answer(() => say('word '.repeat(100)));
    const server = createServer((_req, res) => {
      const left = new AbortController();
      res.on('close', () => left.abort());
      // Full from the first frame on, as with a client that stopped reading long ago.
      const write = (frame: unknown): boolean => {
        written.push(String(frame));
        if (String(frame).includes('word')) filled.resolve();
        return false;
      };
      res.write = write;
      if (res.socket) res.socket.write = write;
      Object.defineProperty(res, 'writableNeedDrain', { get: () => written.length > 0 });
      const body = question('hello', { stream: true });
      void chatCompletions(app, agentIn(chatWorld.world.admin), body, res, left.signal).then(
        ended.resolve,
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      const asked = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
      asked.catch(() => {});
      await filled.promise;
      await clock.advance(29_000);
      expect(written.join('')).not.toContain('keep-alive');
      await clock.advance(1_000);
      await ended.promise;
      await expect(asked).rejects.toThrow();
      expect(clock.pending).toBe(0);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('a client that left while its turn was prepared', () => {
  it('leaves no timer behind, and no model is asked', async () => {
    const clock = new TestClock();
    const app = otherNode(chatWorld.world.app, { clock });
    const ended = Promise.withResolvers<void>();
    const server = createServer(async (_req, res) => {
      res.destroy();
      await once(res, 'close');
      const gone = AbortSignal.abort();
      const body = question('hello', { stream: true });
      await chatCompletions(app, agentIn(chatWorld.world.admin), body, res, gone);
      ended.resolve();
    });
    const before = chatWorld.model.requests.length;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      await fetch(`http://127.0.0.1:${port}`).catch(() => null);
      await ended.promise;
    } finally {
      server.close();
    }
    expect(clock.pending).toBe(0);
    expect(chatWorld.model.requests).toHaveLength(before);
  });
});

describe('a turn that the provider refuses', () => {
  it('leaves in the log what the client is not told, without the key', async () => {
    const lines: string[] = [];
    const log = createLog('warn', (line) => void lines.push(line));
    const body = { error: { message: 'no such thing as fallback-key' } };
    chatWorld.answer(() => refuse(400, {}, JSON.stringify(body)));
    const caller = { permissions: new Set<string>() };
    const { status, text } = await turn({ log, caller }, { stream: false });
    expect(status).toBe(422);
    expect(text).not.toContain('no such thing');
    const [line = '', ...more] = lines.filter((one) => one.includes('a chat turn was refused'));
    expect(more).toEqual([]);
    expect(line).toContain('no such thing');
    expect(line).not.toContain('fallback-key');
  });
});

describe('the tools of a turn', () => {
  const offered = async (change: Parameters<typeof turn>[0]) => {
    chatWorld.answer((sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('Done.')));
    const before = chatWorld.model.requests.length;
    await turn(change, { stream: false });
    const requests = chatWorld.model.requests.slice(before);
    return {
      names: requests[0]?.tools?.map((tool) => tool.function.name) ?? [],
      result: requests[1]?.messages.at(-1)?.content ?? '',
      system: requests[0]?.messages[0]?.content ?? '',
    };
  };

  it('are none, and none runs, when tool calling is switched off', async () => {
    const { config } = chatWorld.world.app;
    const agentic = { ...config.agentic, toolCalling: false };
    const { names, result, system } = await offered({ config: { ...config, agentic } });
    expect(names).toEqual([]);
    expect(result).toContain('There is no tool');
    expect(system).toContain('switched off');
  });

  it('are those the user may use, and another one does not run', async () => {
    const permissions = new Set(['svc-center-data:point_value:list']);
    const { names, result } = await offered({ caller: { permissions } });
    expect(names.toSorted()).toEqual([
      'getLatestPointValue',
      'getPointValueHistory',
      'searchPointValues',
    ]);
    expect(result).toContain('There is no tool searchDevices');
  });

  it("are limited further by a token's scopes", async () => {
    const { names } = await offered({ caller: { scopes: ['svc:read', 'svc:chat'] } });
    expect(names).toContain('searchDevices');
    expect(names).not.toContain('writePointValue');
    expect(names).not.toContain('readPointValue');
  });
});
