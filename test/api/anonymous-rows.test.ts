import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { auditQueueWritten } from '../../src/auth/audit/background.ts';
import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { authorizationUrl, discover, registerApp } from '../support/people/oauth-client.ts';
import { request } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AT_ONCE = 10;
/** Tables in which a caller without a credential leaves rows over HTTP, and how many 300 requests may leave. */
const GROWS: Readonly<Record<string, number>> = {
  // Open login pages of one source and clients that registered themselves, and what is under way at once.
  svc_oauth_store: 200 + 60 + AT_ONCE,
  // Ten of a kind and source in a minute, and a count; a row for each registration.
  svc_identity_audit_log: 80 + 60,
  // One for each name that is tried, at the pace of the throttle of its source.
  svc_login_name: 60,
};
/** What the platform itself writes meanwhile, whoever asks. */
const OWN = /^svc_(driver|entity_state|outage|audit_seal)/;

describe('callers without a credential', () => {
  const world = startedWorld();
  const server = prepared(() => discover(world.base));
  const client = prepared(() => registerApp(server));

  const across = <T>(work: Parameters<typeof acrossTenants<T>>[2]): Promise<T> =>
    acrossTenants(world.app.db, 'doctor', work);
  const counts = async (): Promise<Map<string, number>> =>
    across(async (q) => {
      const { rows: tables } = await sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
          and relnamespace = 'public'::regnamespace and has_table_privilege(oid, 'select')
          and relname like 'svc\\_%'`.execute(q);
      const found = new Map<string, number>();
      for (const { name } of tables) {
        const { rows } = await sql<{
          count: string;
        }>`select count(*) from ${sql.table(name)}`.execute(q);
        found.set(name, Number(rows[0]?.count));
      }
      return found;
    });
  const visits = () =>
    across((q) =>
      q
        .selectFrom('svc_oauth_store')
        .select(['id', 'source'])
        .where('kind', '=', 'Interaction')
        .orderBy('expiresAt', 'desc')
        .execute(),
    );

  it('leave rows in the tables that are listed, and so many at most', async () => {
    const { url } = await authorizationUrl(server, client);
    const before = await counts();
    const ask = (path: string, body: unknown, headers = {}) =>
      fetch(`${world.base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }).then((answer) => answer.arrayBuffer());
    const each = (at: number) => [
      fetch(url, { redirect: 'manual' }).then((answer) => answer.arrayBuffer()),
      ask('/oauth2/register', { redirect_uris: ['http://127.0.0.1:7777/callback'] }),
      ask('/oauth2/token', {}, { authorization: `Basic ${btoa(`invented-${at}:secret`)}` }),
      ask('/mcp', {}, { authorization: `Bearer svc_mcp_${at}` }),
      ask('/api/v3/manager/device/list', {}, { authorization: `Bearer svc_api_${at}` }),
      ask('/api/v3/auth/token/salt', { tenant: `t${at}`, name: 'x' }),
      ask('/api/v3/auth/token/generate', {
        tenant: 'default',
        name: `n${at}`,
        password: 'x',
        salt: 's',
      }),
      ask('/api/v3/agentic/chat/completions', {}, { authorization: 'Bearer x' }),
      ask('/api/v3/auth/session/begin', { tenant: `t${at}`, name: 'x', password: 'x' }),
    ];
    for (let at = 0; at < 300; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => each(at + i)).flat());
    await loginFailuresWritten(world.app);
    await auditQueueWritten(world.app);
    const grown = [...(await counts())].flatMap(([name, count]) => {
      const more = count - (before.get(name) ?? 0);
      return more > (GROWS[name] ?? 0) && !OWN.test(name) ? [`${name}: ${more}`] : [];
    });
    expect(grown).toEqual([]);
  }, 180_000);

  it('have two hundred open login pages of a source, and two thousand together', async () => {
    const { url } = await authorizationUrl(server, client);
    // Of 1,900 sources, two visits of some.
    await across((q) =>
      sql`insert into svc_oauth_store (kind, id, payload, expires_at, source)
        select 'Interaction', 'flood-' || n, '{}', ${new Date(world.clock.now() + 500_000)}::timestamptz,
          'source-' || (n % 1900) from generate_series(1, 2500) n`.execute(q),
    );
    // Past the minute whose requests are counted.
    world.clock.shift(61_000);
    const answer = await fetch(url, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    const kept = await visits();
    expect(kept.length).toBeLessThanOrEqual(2_000);
    expect(kept.length).toBeGreaterThan(1_900);
    // Every source keeps its newest.
    expect(new Set(kept.map(({ source }) => source)).size).toBeGreaterThan(1_899);
    const uid = new URL(answer.headers.get('location') ?? '', world.base).pathname.split('/').pop();
    expect(kept.map(({ id }) => id)).toContain(uid);
  });

  it('have two hundred open device codes of a client, of however many sources, and those of others', async () => {
    const registered = async () => {
      const answer = await fetch(`${world.base}/oauth2/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }),
      });
      return z.looseObject({ client_id: z.string() }).parse(await answer.json()).client_id;
    };
    const flood = (id: string, count: number) =>
      across((q) =>
        sql`insert into svc_oauth_store (kind, id, payload, expires_at, source)
          select 'DeviceCode', ${id} || n, jsonb_build_object('clientId', ${id}::text),
            ${new Date(world.clock.now())}::timestamptz + n * interval '1 second', 'source-' || n
          from generate_series(1, ${count}::int) n`.execute(q),
      );
    // Past the minute whose requests are counted.
    world.clock.shift(61_000);
    const [flooding, other] = [await registered(), await registered()];
    await flood(flooding, 300);
    await flood(other, 150);
    const begun = await fetch(`${world.base}/oauth2/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: flooding, scope: 'svc:read' }),
    });
    expect(begun.status).toBe(200);
    const { rows } = await across((q) =>
      sql<{ client: string; source: string }>`
        select payload ->> 'clientId' as client, source from svc_oauth_store
        where kind = 'DeviceCode' and source is not null`.execute(q),
    );
    const kept = rows.filter(({ client: of }) => of === flooding).map(({ source }) => source);
    expect(kept).toHaveLength(200);
    // The newest: those that expire last.
    expect(kept).toContain('source-300');
    expect(kept).not.toContain('source-100');
    expect(rows.filter(({ client: of }) => of === other)).toHaveLength(150);
  });

  it('have fifty thousand names that were tried in vain', async () => {
    const now = new Date(world.clock.now());
    await across((q) =>
      sql`insert into svc_login_name (name_digest, failures, since, last_time, used_time)
        select 'flood-' || n, 1 + n % 9, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
        from generate_series(1, 50500) n`.execute(q),
    );
    world.clock.shift(61_000);
    const body = { tenant: 'default', name: 'nobody', password: 'x', salt: 's' };
    await request(world.base, 'POST', '/api/v3/auth/token/generate', { body });
    expect((await counts()).get('svc_login_name')).toBeLessThanOrEqual(50_010);
  });
});
