import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { checks } from '../../src/cli/operator/doctor.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { startProcess } from '../support/world/process.ts';

const MISSING = '4611686018427387904';

it('ends with 0 when all holds, and with 1 and the rows that do not', async () => {
  const database = await freshDatabase();
  const memory = { AGENTIC_MEMORY_ENABLED: 'on', AGENTIC_MEMORY_SCHEMA_INIT: 'always' };
  const world = await startWorld({ database, environment: memory });
  await world.halt();
  const doctor = async (): Promise<{ code: number | null; output: string }> => {
    const child = startProcess(['src/main.ts', 'doctor'], world.environment);
    const { code } = await child.exited;
    return { code, output: child.output.join('\n') };
  };
  const well = await doctor();
  expect(well.output).toContain(`${checks.length} checks, all of them hold.`);
  expect(well.code).toBe(0);
  const again = await startWorld({ database });
  const { rows } = await acrossTenants(again.app.db, 'doctor', (q) =>
    sql<{ id: string }>`
      insert into svc_point (tenant_id, point_name, point_code, point_type_flag, profile_id)
      values (${again.admin.tenantId}, 'lost', 'lost', 6, ${MISSING}) returning id`.execute(q),
  );
  await again.halt();
  const sick = await doctor();
  expect(sick.output).toContain(`svc_point ${rows[0]?.id}: profile_id = ${MISSING}`);
  expect(sick.output).toContain(`${checks.length} checks, 1 do not hold.`);
  expect(sick.code).toBe(1);
  await database.remove();
});
