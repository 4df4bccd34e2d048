import { readFile } from 'node:fs/promises';

import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { acrossTenants } from '../../src/db/tenant.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { startProcess } from '../support/world/process.ts';

it('ends with 0 when every log is as it was sealed, and with 1 and the row that is not', async () => {
  const database = await freshDatabase();
  const world = await startWorld({ database });
  await world.tenant('here');
  await world.halt();
  const verify = async (): Promise<{ code: number | null; output: string }> => {
    const child = startProcess(['src/main.ts', 'audit', 'verify'], world.environment);
    const { code } = await child.exited;
    return { code, output: child.output.join('\n') };
  };
  const well = await verify();
  expect(well.output).toContain('All logs are as they were sealed.');
  expect(well.output).toMatch(
    /^ok {5}identity: [1-9]\d* rows sealed, the 0 newest not yet; [1-9]\d* outside heads compared$/m,
  );
  expect(well.code).toBe(0);
  const again = await startWorld({ database });
  expect((await readFile(again.app.config.auditHead, 'utf8')).trim().split('\n')).not.toEqual([]);
  const { rows } = await acrossTenants(again.app.db, 'audit', async (q) => {
    await sql`set local role none`.execute(q);
    await sql`alter table svc_identity_audit_log disable trigger svc_append_only`.execute(q);
    const deleted = await sql<{ id: string }>`delete from svc_identity_audit_log
      where id = (select max(row_id) from svc_audit_seal where log = 'identity') returning id`.execute(
      q,
    );
    await sql`alter table svc_identity_audit_log enable trigger svc_append_only`.execute(q);
    return deleted;
  });
  await again.halt();
  const sick = await verify();
  expect(sick.output).toMatch(
    new RegExp(`svc_identity_audit_log ${rows[0]?.id} \\(seal \\d+\\): the row was deleted`),
  );
  expect(sick.code).toBe(1);
  await database.remove();
});
