import { sql } from 'kysely';

import { relyingOn } from '../../db/basis.ts';
import { inOneTrip, inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { announce } from './mcp-session.ts';

/** Of a session at once; a client that sends more has an answer that no call waits for. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 65_536;
const STORED_MS = 120_000;
const BATCH = 10_000;

type Of = { tenantId: string; id: string };

/** Hands a message of the client to the other processes that hold its session; one that is too long is left out. */
export async function mailToSession(
  app: App,
  { tenantId, id }: Of,
  message: unknown,
): Promise<void> {
  const text = JSON.stringify(message);
  if (text.length > MAX_CHARACTERS) return;
  const now = new Date(app.clock.now());
  await inOneTrip(app.db, tenantId, (q) =>
    sql`with sent as (
        insert into svc_mcp_mail (tenant_id, session_id, message, create_time)
        select ${tenantId}, ${id}, ${text}, ${now} where (select count(*) from svc_mcp_mail
          where tenant_id = ${tenantId} and session_id = ${id}) < ${MAX_ROWS}
        returning session_id)
      select ${announce(app, sql`session_id::text || ' mail'`)} from sent`.execute(q),
  );
}

/** What was handed to a session after the message of that number, in order. */
export async function mailOfSession(
  app: App,
  { tenantId, id }: Of,
  after: string,
): Promise<{ id: string; message: unknown }[]> {
  const { rows } = await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) =>
      sql<{ id: string; message: string }>`select id, message from svc_mcp_mail
        where tenant_id = ${tenantId} and session_id = ${id} and id > ${after}::bigint
        order by id limit ${MAX_ROWS}`.execute(q),
    ),
  );
  return rows.map((row) => ({ id: row.id, message: JSON.parse(row.message) }));
}

/** Deletes what was handed on two minutes ago. */
export async function sweepMail(app: App): Promise<void> {
  const oldest = new Date(app.clock.now() - STORED_MS);
  await inOneTripAcrossTenants(app.db, 'sweeper', (q) =>
    sql`delete from svc_mcp_mail where id in (
      select id from svc_mcp_mail where create_time < ${oldest} order by create_time limit ${BATCH})`.execute(
      q,
    ),
  );
}
