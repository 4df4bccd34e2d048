import { readFileSync, writeFileSync } from 'node:fs';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { connect, type Database } from '../../src/db/connect.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { dumpSchema } from '../support/cases/schema-dump.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

const FILE = 'sql/schema.sql';

describe('the database schema', () => {
  let db: Database;
  let timesNew = 0;
  const open = (): Promise<Database> =>
    connect({
      databaseUrl: data.environment['DATABASE_URL'] ?? null,
      dataDir: data.environment['SVC_DATA_DIR'] ?? '',
      clock: systemClock,
      log: createLog('silent'),
      onNew: () => {
        timesNew += 1;
      },
    });

  const data = prepared(() => freshDatabase('empty'));
  beforeAll(async () => {
    db = await open();
  });
  afterAll(async () => {
    await db.close();
    await data.remove();
  });

  it('is what sql/schema.sql says (UPDATE_SCHEMA=1 writes it)', async () => {
    const dumped = await dumpSchema(db);
    if (process.env['UPDATE_SCHEMA']) writeFileSync(FILE, dumped);
    expect(dumped).toBe(readFileSync(FILE, 'utf8'));
  });

  it('protects every table that carries tenant_id, for its owner too', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not (c.relrowsecurity and c.relforcerowsecurity
          and exists (select 1 from pg_policies p where p.tablename = c.relname))`.execute(
      db.queries,
    );
    expect(rows).toEqual([]);
  });

  it('is not changed by starting again', async () => {
    const before = await dumpSchema(db);
    await db.close();
    db = await open();
    expect(await dumpSchema(db)).toBe(before);
    expect(timesNew).toBe(1);
  });

  it.each(['svc_identity_audit_log', 'svc_mcp_audit_log', 'svc_change_log', 'svc_audit_seal'])(
    'lets %s only grow, for its owner too',
    async (table) => {
      const change = (statement: string) => sql.raw(statement).execute(db.queries);
      for (const statement of [
        `update ${table} set tenant_id = 1`,
        `delete from ${table}`,
        `truncate ${table}`,
      ])
        await expect(change(statement), statement).rejects.toThrow('permission denied');
      const { rows } = await sql<{ rights: string; triggers: string }>`
        select (select string_agg(privilege_type, ',' order by privilege_type)
            from information_schema.role_table_grants where grantee = 'svc_app' and table_name = ${table}) as rights,
          (select string_agg(pg_get_triggerdef(oid), ';') from pg_trigger
            where tgrelid = ${table}::regclass and not tgisinternal and tgenabled = 'O') as triggers`.execute(
        db.queries,
      );
      expect(rows).toEqual([
        {
          rights: 'INSERT,SELECT',
          triggers: expect.stringMatching(
            /BEFORE DELETE OR UPDATE OR TRUNCATE .* FOR EACH STATEMENT EXECUTE FUNCTION svc_refuse_change/,
          ),
        },
      ]);
    },
  );

  it('shows nothing to a transaction without a tenant', async () => {
    const { rows } = await sql<{
      count: string;
    }>`select count(*) from svc_tenant_membership`.execute(db.queries);
    expect(rows).toEqual([{ count: '0' }]);
  });
});
