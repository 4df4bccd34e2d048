import { Unavailable } from '../core/errors.ts';

/** SQLSTATEs that pass: connection lost, no room, shutting down, too slow, lost against another transaction. */
const PASSING = /^(?:08\w{3}|53\w{3}|57P0[123]|57014|40001|40P01)$/;
const NETWORK = /^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** What `pg`, its pool and Kysely say without a code. */
const LOST =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client (?:was closed|has encountered)|Cannot use a pool after|driver has already been destroyed)/;

/** A failure of the database itself as Unavailable (503), with its cause for the log; any other as it is. */
export function orUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const hasPassing = PASSING.test(code) || NETWORK.test(code) || LOST.test(error.message);
  return hasPassing ? new Unavailable('The database does not answer now', error) : error;
}
