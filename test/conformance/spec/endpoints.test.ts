import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../../src/db/tenant.ts';
import { tools } from '../../../tools/index.ts';
import { startedWorld } from '../../support/world/prepared.ts';

const CHAT = '/api/v3/agentic/chat/completions';

/** docs/specification/endpoints.md, Endpoints: the paths it names, byte for byte. */
const named = [
  ['POST', '/api/v3/auth/token/salt'],
  ['POST', '/api/v3/auth/token/generate'],
  ['POST', '/api/v3/manager/device/add'],
  ['POST', '/api/v3/data/point_value/latest'],
  ['POST', '/api/v3/data/point_command/read'],
  ['POST', '/api/v3/data/point_command/write'],
  ['GET', '/api/v3/data/point_command_history/get_by_command_id'],
  ['POST', CHAT],
  ['POST', '/api/v3/agentic/action/confirm'],
  ['POST', '/api/v3/agentic/action/reject'],
] as const;
const Failure = z.looseObject({ ok: z.boolean().optional(), code: z.string().optional() });

describe('the endpoints', () => {
  const world = startedWorld();

  it.each(named)(
    '%s %s is there, and says what is wrong with an empty call',
    async (method, path) => {
      const response = await fetch(`${world.base}${path}`, {
        method,
        headers: { ...world.admin.headers, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{}' } : {}),
      });
      expect(response.status).toBe(400);
      if (path !== CHAT)
        expect(Failure.parse(await response.json())).toMatchObject({ ok: false, code: 'R400' });
    },
  );

  it.each(named.filter(([, path]) => !path.includes('/token/')))(
    '%s %s is protected',
    async (method, path) => {
      const response = await fetch(`${world.base}${path}`, { method });
      expect(response.status).toBe(401);
    },
  );

  it('success has the code R200, and what was added R201', async () => {
    const list = await world.admin.post('/api/v3/manager/profile/list', {});
    expect(list.body).toMatchObject({ ok: true, code: 'R200' });
    const add = await world.admin.post('/api/v3/manager/profile/add', { profileName: 'envelope' });
    expect(add.body).toMatchObject({ ok: true, code: 'R201', data: expect.any(String) });
  });

  it('chat completions carry the risk the specification gives them, tools carry none', async () => {
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) })
      .parse(await (await fetch(`${world.base}/v3/api-docs`)).json());
    expect(paths[CHAT]?.['post']?.['x-ai-risk']).toEqual({
      riskLevel: 'MEDIUM',
      destructive: false,
      idempotent: false,
      openWorld: true,
    });
    for (const tool of tools) {
      expect([tool.domain, tool.title].every((text) => text !== '')).toBe(true);
      expect(Object.keys(tool)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/risk/i)]),
      );
    }
  });

  it('chat completions need the permission chat:list', async () => {
    const session = await world.tenant('silent');
    const chat = async () =>
      (
        await fetch(`${world.base}${CHAT}`, {
          method: 'POST',
          headers: { ...session.headers, 'content-type': 'application/json' },
          body: '{}',
        })
      ).status;
    expect(await chat()).toBe(400);
    await acrossTenants(world.app.db, 'doctor', (q) =>
      sql`delete from svc_role_principal_bind where tenant_id = ${session.tenantId}`.execute(q),
    );
    world.clock.shift(300_001);
    expect(await chat()).toBe(403);
  });
});
