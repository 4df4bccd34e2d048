import { sql } from 'kysely';

import type { Database } from '../../../src/db/connect.ts';

type Row = { text: string };

const lines = async (db: Database, query: string): Promise<string[]> =>
  (await sql.raw<Row>(query).execute(db.queries)).rows.map(({ text }) => text);

// The weekly partitions come and go with the calendar.
const OURS = `c.relnamespace = 'public'::regnamespace and c.relname like 'svc\\_%'
  and c.relname !~ '^svc_point_value_\\d{4}w\\d{2}'`;

/** The schema as the catalogue sees it, one fact per line, the same on every engine and version. */
export async function dumpSchema(db: Database): Promise<string> {
  const sections: [string, string][] = [
    [
      'columns',
      `select format('%s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
         case when a.attnotnull then ' not null' else '' end,
         case when a.attidentity <> '' then ' identity'
              when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as text
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where ${OURS} and c.relkind in ('r', 'p') order by c.relname, a.attnum`,
    ],
    [
      'constraints',
      `select format('%s %s', c.relname, pg_get_constraintdef(k.oid)) as text
       from pg_class c join pg_constraint k on k.conrelid = c.oid
       where ${OURS} and k.contype in ('p', 'u', 'c') order by 1`,
    ],
    [
      'indexes',
      `select pg_get_indexdef(i.indexrelid) as text from pg_class c join pg_index i on i.indrelid = c.oid
       where ${OURS} order by 1`,
    ],
    [
      'row security',
      `select format('%s enabled=%s forced=%s', c.relname, c.relrowsecurity, c.relforcerowsecurity) as text
       from pg_class c where ${OURS} and c.relkind in ('r', 'p') order by 1`,
    ],
    [
      'policies',
      `select format('%s %s %s using %s check %s', tablename, policyname, cmd, qual, with_check) as text
       from pg_policies where tablename like 'svc\\_%' order by 1`,
    ],
    [
      'rights of svc_app',
      `select format('%s %s', table_name, string_agg(privilege_type, ', ' order by privilege_type)) as text
       from information_schema.role_table_grants
       where grantee = 'svc_app' and table_name !~ '^svc_point_value_\\d{4}w\\d{2}'
       group by table_name order by 1`,
    ],
    [
      'functions',
      `select format('%s(%s)%s', proname, pg_get_function_identity_arguments(oid),
         case when prosecdef then ' security definer' else '' end) as text
       from pg_proc where pronamespace = 'public'::regnamespace and proname like 'svc\\_%' order by 1`,
    ],
  ];
  const parts: string[] = [];
  for (const [title, query] of sections) parts.push(`-- ${title}`, ...(await lines(db, query)), '');
  return `-- What sql/*.sql add up to; made and kept true by test/conformance/schema.test.ts.\n\n${parts.join('\n')}`;
}
