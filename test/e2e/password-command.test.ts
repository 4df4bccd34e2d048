import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { login, request } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startProcess } from '../support/world/process.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;

let data: FreshDatabase;
let world: World;
let old: Record<string, string>;
let second: Record<string, string>;
beforeAll(async () => {
  data = await freshDatabase();
  world = await startWorld({ database: data });
  second = (await world.tenant('second')).headers;
  old = world.admin.headers;
});
afterAll(() => world.stop());

/** `svc password …` with what is piped in. */
async function run(words: string[], input?: string) {
  const child = startProcess(['src/main.ts', 'password', ...words], world.environment, input);
  const { code } = await child.exited;
  return { code, output: child.output.join('\n') };
}

/** Does `work` while the platform is stopped, then starts it again. */
async function halted<T>(work: () => Promise<T>): Promise<T> {
  await world.halt();
  const result = await work();
  world = await startWorld({ database: data });
  return result;
}

describe('svc password', () => {
  it('sets what is piped in, ends earlier logins, and is on record', async () => {
    const set = await halted(() =>
      run(['second-admin', '--tenant', 'second'], 'a piped password 7\n'),
    );
    expect([set.code, set.output]).toEqual([
      0,
      expect.stringContaining('The password of second-admin in the tenant second is set.'),
    ]);
    expect(set.output).not.toContain('piped password');
    await login(world.base, 'second', 'second-admin', 'a piped password 7');
    await expect(login(world.base, 'second', 'second-admin', PASSWORD)).rejects.toThrow('401');
    const { status } = await request(world.base, 'POST', '/api/v3/manager/device/list', {
      body: {},
      headers: second,
    });
    expect(status).toBe(401);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_identity_audit_log')
        .select(['principalType', 'resourceName', 'detailExt'])
        .where('action', '=', 'RESET_PASSWORD')
        .execute(),
    );
    expect(rows).toEqual([
      {
        principalType: 'SYSTEM',
        resourceName: 'second-admin',
        detailExt: { via: 'command line' },
      },
    ]);
  });

  it('names the keys that go on, and not their texts', async () => {
    const { data: made } = z
      .object({ data: z.object({ key: z.string(), keyPrefix: z.string() }) })
      .parse(
        (
          await request(world.base, 'POST', '/api/v3/auth/key/add', {
            body: { keyName: 'my editor' },
            headers: old,
          })
        ).body,
      );
    const set = await halted(() => run(['admin'], `${PASSWORD}\n`));
    expect([set.code, set.output]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `Keys of admin go on\\. .*/api/v3/auth/key/revoke.*“my editor” ${made.keyPrefix}$`,
          's',
        ),
      ),
    ]);
    expect(set.output).not.toContain(made.key);
    old = (await login(world.base, 'default', 'admin', PASSWORD)).headers;
  });

  it('generates one without input, which must be changed at the next login', async () => {
    const set = await halted(() => run(['second-admin', '--tenant', 'second']));
    const generated = /^ {2}(\S{16})$/m.exec(set.output)?.[1] ?? '';
    expect([set.code, generated.length]).toEqual([0, 16]);
    await expect(login(world.base, 'second', 'second-admin', generated)).rejects.toThrow('R4031');
  });

  it('leaves everything as it is for a bad password or a login the tenant does not have', async () => {
    const [short, unknown] = await halted(async () => [
      await run(['admin'], 'short\n'),
      await run(['admin', '--tenant', 'second'], 'a piped password 7\n'),
    ]);
    expect([short?.code, short?.output]).toEqual([
      1,
      expect.stringContaining('The new password needs at least 8 characters'),
    ]);
    expect([unknown?.code, unknown?.output]).toEqual([
      1,
      expect.stringContaining('The login admin of the tenant second does not exist'),
    ]);
    const { status } = await request(world.base, 'GET', '/api/v3/auth/tenant/get_by_id', {
      query: { id: world.admin.tenantId },
      headers: old,
    });
    expect(status).toBe(200);
  });

  it('says that a platform on the embedded database must be stopped first', async () => {
    if (world.app.db.engine !== 'embedded') {
      expect((await run(['second-admin', '--tenant', 'second'], 'a piped password 8\n')).code).toBe(
        0,
      );
      return;
    }
    const { code, output } = await run(['admin'], 'a piped password 8\n');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/in use by process \d+; stop it first/),
    ]);
  });
});
