import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { audit } from '../audit/audit.ts';
import { noticeIn, publishNotice } from '../audit/identity-event.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Notices to a tenant, one a minute at most: strangers decide how many names they guess at. */
const MAX_IN_HOUR = 10;

type Guessed = { tenant: string; login: string; source: string; failures: number };

/**
 * Says in the log and in the tenant's audit log that somebody guesses at a name, and to the tenant's channels for a
 * member of it, within the bounds of such notices.
 */
export async function noteGuessed(
  app: App,
  { tenant, login, source, failures }: Guessed,
): Promise<void> {
  app.log.warn(
    { tenant, source },
    'a login name reached 100 failures within a day: strangers wait',
  );
  const notice = await acrossTenants(app.db, 'login', async (q) => {
    const known = await q
      .selectFrom('svc_tenant')
      .select('id')
      .where('tenantCode', '=', tenant)
      .executeTakeFirst();
    if (!known) return null;
    await audit(
      app,
      q,
      { tenantId: known.id, principalId: '0', principalType: 'USER' },
      {
        action: 'THROTTLE',
        resourceType: 'LOCAL_CREDENTIAL',
        resourceId: '0',
        resourceName: login,
        status: 'FAILED',
        errorCode: 'R429',
        detail: { failures, source },
      },
    );
    if (!(await isMember(q, known.id, login)) || !(await hasRoom(q, known.id, app.clock.now())))
      return null;
    return noticeIn(app, q, known.id, {
      kind: 'LOGIN_GUESSED',
      message:
        `The login ${quoted(login)} had ${failures} failures within a day, the last one from ${source}. ` +
        'Sources that it never logged in from wait.',
    });
  });
  if (notice) await publishNotice(app, notice);
}

/** `login` is normalized. */
async function isMember(q: Queries, tenantId: string, login: string): Promise<boolean> {
  const row = await q
    .selectFrom('svc_local_credential as credential')
    .innerJoin('svc_tenant_membership as membership', (on) =>
      on.onRef('membership.principalId', '=', 'credential.principalId'),
    )
    .select('credential.id')
    .where('credential.loginNameNormalized', '=', login)
    .where('membership.tenantId', '=', tenantId)
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** One after the other in a tenant, so that none is counted by two. */
async function hasRoom(q: Queries, tenantId: string, now: number): Promise<boolean> {
  const key = `guessed ${tenantId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
  const { rows } = await sql<{ hasRoom: boolean }>`
    select count(*) < ${MAX_IN_HOUR} and coalesce(max(occur_time) <= ${new Date(now - MINUTE_MS)}, true)
      as has_room
    from svc_identity_notice
    where tenant_id = ${tenantId} and kind = 'LOGIN_GUESSED'
      and occur_time > ${new Date(now - HOUR_MS)}`.execute(q);
  return rows[0]?.hasRoom === true;
}
