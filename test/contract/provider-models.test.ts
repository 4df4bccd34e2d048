import { afterEach, describe, expect, it, vi } from 'vitest';

import type { ModelRequest } from '../../providers/request/provider.ts';
import { everyDialect } from '../support/neighbours/dialects.ts';
import type { FakeModel } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

const KEY = 'sk-very-secret-1';
const request: ModelRequest = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
};

let upstream: FakeModel<unknown> | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await upstream?.stop();
  upstream = undefined;
});

describe.each(everyDialect)('a vendor asked in %s', (_name, dialect) => {
  it('lists its models through its own client', async () => {
    upstream = await dialect.start(dialect.say('hi'));
    const clock = new TestClock();
    const { baseUrl, keys } = upstream;
    const provider = dialect.open({ baseUrl, apiKey: KEY, clock, egress: null });
    const models = await provider.models(new AbortController().signal);
    expect(models).toHaveLength(2);
    expect(models.every((id) => /^(gpt|claude)-[ab]$/.test(id))).toBe(true);
    expect(keys).toEqual([`Bearer ${KEY}`]);
    expect(clock.pending).toBe(0);
  });

  it("learns nothing of the operator's environment, asked for words or for models", async () => {
    const custom = ['x-operator', 'authorization', 'user-agent', 'anthropic-version', 'cookie'];
    for (const vendor of ['OPENAI', 'ANTHROPIC']) {
      const lines = custom.map((name) => `${name}: of-the-operator`);
      vi.stubEnv(`${vendor}_CUSTOM_HEADERS`, lines.join('\n'));
      for (const name of ['API_KEY', 'AUTH_TOKEN', 'ADMIN_KEY', 'ORG_ID', 'PROJECT_ID']) {
        vi.stubEnv(`${vendor}_${name}`, 'of-the-operator');
      }
    }
    upstream = await dialect.start(dialect.say('hi'));
    const { baseUrl, headers } = upstream;
    for (const apiKey of [KEY, '']) {
      const provider = dialect.open({ baseUrl, apiKey, clock: new TestClock(), egress: null });
      const { signal } = new AbortController();
      for await (const _ of provider.complete(request, signal));
      expect(await provider.models(signal)).toHaveLength(2);
    }
    expect(headers).toHaveLength(4);
    expect(JSON.stringify(headers)).not.toContain('of-the-operator');
    expect(headers.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
      undefined,
      undefined,
    ]);
    expect(new Set(headers.map((sent) => sent['anthropic-version'])).size).toBe(1);
  });
});
