import type pg from 'pg';

import { ConfigError } from '../../kernel/process/config.ts';

/** The role every query of the application runs as: it owns nothing and cannot bypass row security. */
export const APP_ROLE = 'svc_app';

export const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_MS = 10_000;
const LIMIT = `${STATEMENT_TIMEOUT_MS / 1_000}s`;

/** Of each session, in the words of PostgreSQL. */
const SETTINGS = {
  role: APP_ROLE,
  statement_timeout: LIMIT,
  idle_in_transaction_session_timeout: LIMIT,
  // Statements are short: compiling one costs more than it saves (a trend over partitions 0.4 s beside 0.1 s).
  jit: 'off',
};
const NAMES = Object.keys(SETTINGS);
const VALUES = Object.values(SETTINGS);

type Session = { user: string; isPowerful: boolean; values: string[] };

/**
 * Makes a new connection a session of the application and reads back what holds: role and limits are set by
 * statements, as poolers refuse or drop them in the startup packet. Throws ConfigError where they do not hold.
 */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  const settings = 'unnest($1::text[], $2::text[]) as asked (name, value)';
  await ask(client, `select set_config(name, value, false) from ${settings}`, [NAMES, VALUES]);
  const [session] = await ask<Session>(
    client,
    `select current_user::text as "user", rolsuper or rolbypassrls as "isPowerful",
       array(select current_setting(name) from unnest($1::text[]) with ordinality as asked (name, at)
             order by at) as values
     from pg_roles where rolname = current_user`,
    [NAMES],
  );
  const reason = session ? wrongWith(session) : 'its role is not known';
  if (reason !== null) throw new ConfigError(`The database session is not usable: ${reason}`);
}

/** Why a session must not be used; null when it may. */
function wrongWith({ user, isPowerful, values }: Session): string | null {
  if (user !== APP_ROLE) return `it is of role ${user}, not of ${APP_ROLE}`;
  if (isPowerful) return `row-level security does not bind its role ${user}`;
  const at = values.findIndex((value, n) => value !== VALUES[n]);
  return at === -1 ? null : `${NAMES[at]} is ${values[at]}, not ${VALUES[at]}`;
}

const ROUNDS = 3;
const SHARED =
  'DATABASE_URL leads to a pooler that hands one session to several connections (PgBouncer: pool_mode transaction ' +
  'or statement). The platform needs the server itself or a pooler in session mode (pool_mode = session).';

/**
 * Throws ConfigError unless each of the two connections has a session to itself: a pooler that hands the sessions
 * of the server round loses role, limits, locks and prepared statements.
 */
export async function demandOwnSessions(one: pg.ClientBase, other: pg.ClientBase): Promise<void> {
  const [ones, others] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round += 1) {
    ones.add(await processOf(one));
    others.add(await processOf(other));
  }
  if (new Set([...ones, ...others]).size !== 2 || ones.size !== 1) throw new ConfigError(SHARED);
}

async function processOf(client: pg.ClientBase): Promise<number> {
  const [row] = await ask<{ pid: number }>(client, 'select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

async function ask<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const query = { text, values, query_timeout: ANSWER_MS };
  const { rows } = await client.query<R>(query);
  return rows;
}
