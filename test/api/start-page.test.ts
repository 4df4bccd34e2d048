import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { startWorld } from '../support/world/app.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Start = z.object({
  ok: z.literal(true),
  data: z.object({ doors: z.array(z.object({ name: z.string(), url: z.string() })) }),
});

const world = startedWorld();

const start = (accept: string, base = world.base) =>
  fetch(`${base}/`, { headers: { accept }, redirect: 'manual' });

describe('the address that a start prints', () => {
  it('leads a browser to the console', async () => {
    const answer = await start('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console']);
  });

  it('answers a program in the envelope, with whole addresses', async () => {
    const answer = await start('*/*');
    const { doors } = Start.parse(await answer.json()).data;
    expect(doors.map(({ name }) => name)).toEqual([
      'Console',
      'MCP',
      'Chat',
      'REST',
      'Operations',
      'Readiness',
    ]);
    for (const { url } of doors) expect(url).toMatch(/^http:\/\/[^/]+\/./);
  });

  it('names no page of operations where there is none', async () => {
    const bare = await startWorld({ environment: { SVC_SWAGGER: 'off' } });
    try {
      const { doors } = Start.parse(await (await start('*/*', bare.base)).json()).data;
      expect(doors.map(({ name }) => name)).not.toContain('Operations');
    } finally {
      await bare.stop();
    }
  });
});
