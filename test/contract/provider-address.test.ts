import { createServer } from 'node:http';

import { describe, expect, it } from 'vitest';

import { providers } from '../../providers/index.ts';
import { BaseUrl } from '../../src/agentic/provider/connection.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { TestClock } from '../support/world/clock.ts';

describe('the address of a provider', () => {
  it.each(['openai-compatible', 'anthropic'] as const)(
    'may have the version that its vendor wants in the query: %s',
    async (name) => {
      const asked: string[] = [];
      const server = createServer((req, res) => {
        asked.push(`${req.method} ${req.url}`);
        req.resume();
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(req.method === 'GET' ? { data: [{ id: 'm' }] } : { data: [] }));
      });
      const port = await freePort();
      await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
      try {
        const baseUrl = `http://127.0.0.1:${port}/deployments/m/?api-version=2024-10-21`;
        const clock = new TestClock();
        const provider = providers[name]({ baseUrl, apiKey: 'k', clock, egress: null });
        const { signal } = new AbortController();
        const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] as const };
        const answer = provider.complete({ ...request, tools: [] }, signal);
        await expect(answer[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 503 });
        expect(await provider.models(signal)).toEqual(['m']);
      } finally {
        server.close();
      }
      expect(asked).toHaveLength(2);
      for (const url of asked)
        expect(url).toMatch(/^\w+ \/deployments\/m\/[\w/]+\?(limit=200&)?api-version=2024-10-21$/);
    },
  );

  it('has no other query, which may hold a secret', () => {
    expect(BaseUrl.parse('https://a.example/x/?api-version=1')).toBe(
      'https://a.example/x?api-version=1',
    );
    expect(BaseUrl.safeParse('https://a.example/x?key=secret').success).toBe(false);
  });
});
