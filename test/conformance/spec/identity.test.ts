import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { acrossTenants } from '../../../src/db/tenant.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { startedWorld } from '../../support/world/prepared.ts';
import { columnsOf } from '../../support/world/raw-rows.ts';

/** docs/specification/identity.md, Identity and access tables. */
describe('the identity tables', () => {
  const world = startedWorld();

  it.each([
    ['svc_principal', ['principal_type', 'source_type']],
    [
      'svc_local_credential',
      [
        'principal_id',
        'login_name',
        'password_hash',
        'password_algorithm',
        'password_expire_time',
        'require_password_change',
      ],
    ],
    ['svc_tenant_membership', ['tenant_id', 'principal_id']],
    ['svc_role_principal_bind', ['tenant_id', 'role_id', 'principal_id']],
    ['svc_role_resource_bind', ['role_id', 'resource_id']],
    ['svc_resource', ['resource_code']],
  ])('%s has the columns the specification names', async (table, columns) => {
    expect(await columnsOf(world, table)).toEqual(expect.arrayContaining(columns));
  });

  it('svc_role_resource_bind has no tenant_id: roles map to resources globally', async () => {
    expect(await columnsOf(world, 'svc_role_resource_bind')).not.toContain('tenant_id');
  });

  it.each(['svc_identity_provider', 'svc_external_identity'])(
    '%s exists, and no endpoint logs in by it',
    async (table) => {
      expect(await columnsOf(world, table)).toContain('id');
      const document = await (await fetch(`${world.base}/v3/api-docs`)).text();
      expect(document).not.toMatch(/external_identity|identity_provider\/login/);
    },
  );

  it.each(['USER', 'SERVICE_ACCOUNT', 'SYSTEM'])('a principal may be a %s', async (type) => {
    expect(await insertPrincipal(type, 'LOCAL')).toMatch(/^\d+$/);
  });

  it('a principal of another type is refused, and EXTERNAL is reserved as its source', async () => {
    await expect(insertPrincipal('ROBOT', 'LOCAL')).rejects.toThrow(/check/);
    await expect(insertPrincipal('USER', 'ELSEWHERE')).rejects.toThrow(/check/);
    expect(await insertPrincipal('USER', 'EXTERNAL')).toMatch(/^\d+$/);
  });

  const insertPrincipal = (type: string, source: string): Promise<string> =>
    acrossTenants(world.app.db, 'doctor', async (q) => {
      const { rows } = await sql<{ id: string }>`
        insert into svc_principal (principal_type, source_type) values (${type}, ${source})
        returning id`.execute(q);
      return String(rows[0]?.id);
    });

  it('a user may be a member of several tenants, of each once, and logs in to each', async () => {
    const { tenantId } = await world.tenant('second');
    const join = () =>
      acrossTenants(world.app.db, 'doctor', (q) =>
        sql`insert into svc_tenant_membership (tenant_id, principal_id)
            select ${tenantId}, principal_id from svc_local_credential where login_name = 'admin'`.execute(
          q,
        ),
      );
    await expect(login(world.base, 'second', 'admin', PASSWORD)).rejects.toThrow(/401/);
    await join();
    expect((await login(world.base, 'second', 'admin', PASSWORD)).tenantId).toBe(tenantId);
    expect((await login(world.base, 'default', 'admin', PASSWORD)).tenantId).not.toBe(tenantId);
    await expect(join()).rejects.toThrow(/unique|duplicate/);
  });
});

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
