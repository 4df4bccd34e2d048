import { sql } from 'kysely';

import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { CommandStatus } from '../command/state.ts';

const keys = {
  svc_point_command_history: 'command_id',
  svc_command_history: 'record_id',
} as const;

/** Stores that a driver holds a command because its device sleeps; not where the command has ended meanwhile. */
export async function waits(
  app: App,
  table: keyof typeof keys,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  const now = new Date(app.clock.now());
  await inTenant(app.db, tenantId, (q) =>
    sql`update ${sql.table(table)} set waiting_time = ${now}, operate_time = ${now}
      where tenant_id = ${tenantId} and ${sql.ref(keys[table])} = ${id}
        and status = ${CommandStatus.SENT}`.execute(q),
  );
}
