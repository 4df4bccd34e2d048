import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

describe('a transaction', () => {
  it('in which a statement failed is no success, also when its error was caught', async () => {
    const { app, admin } = world;
    const work = inTenant(app.db, admin.tenantId, async (q) => {
      await sql`select 1 / 0`.execute(q).catch(() => null);
      return 'stored';
    });
    await expect(work).rejects.toThrow('not committed');
    const after = inTenant(app.db, admin.tenantId, (q) => sql`select 1`.execute(q));
    await expect(after).resolves.toMatchObject({ rows: [{}] });
  });
});

describe('a database that is gone', () => {
  it('is a passing failure to callers, who learn nothing of its cause', async () => {
    await world.app.db.close();
    const { status, body } = await world.admin.post('/api/v3/manager/device/list', {});
    expect(status).toBe(503);
    expect(body).toEqual({ ok: false, code: 'R503', message: 'The database does not answer now' });
  });
});
