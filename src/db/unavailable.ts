import { Unavailable } from '../kernel/errors.ts';

/**
 * SQLSTATEs of transient failures, whatever the statement: connection lost (08), login refused (28), no
 * room (53), disk failure (58), shutting down, starting, closed while idle (57P), too slow (57014),
 * read-only (25006) or too idle (25P03) in a transaction, locked (55P03), lost against another one (40).
 */
const PASSING =
  /^(?:(?:08|28|53|58)\w{3}|57P0[1235]|57014|25006|25P0[34]|55P03|40001|40003|40P01)$/;
const DISK_FULL = '53100';
const NETWORK = /^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** Messages of `pg`, its pool and Kysely for errors without a code. */
const LOST =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered)|Cannot use a pool after|driver has already been destroyed)/;

/** Maps a failure of the database itself to Unavailable (503) with its cause; passes other errors. */
export function orUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const hasPassing = PASSING.test(code) || NETWORK.test(code) || LOST.test(error.message);
  if (code === DISK_FULL) return new Unavailable('The disk of the database is full', error);
  return hasPassing ? new Unavailable('The database does not answer now', error) : error;
}
