import { channel } from 'node:diagnostics_channel';

import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type IdentifierNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';

import { TripConnection } from './connection.ts';
import { Trip } from './trip.ts';

/** Every trip as it leaves, for those that count them: how many statements, their texts, and the end. */
const trips = channel('svc:trip');

/** SQLSTATEs after which the server ends the session: connection lost (08), ended (57P), too idle (25P). */
const ENDED = /^(?:08|57P|25P0[345])/;

/** Identifiers of the code, as the database spells and quotes them; the code has a bounded number of them. */
const identifiers = new Map<string, string>();

/**
 * Names tables and columns as it writes a statement, without the copy of its whole tree that a plugin makes; the
 * columns of answers are named once per statement (prepared.ts).
 */
class StatementCompiler extends PostgresQueryCompiler {
  protected override visitIdentifier({ name }: IdentifierNode): void {
    let identifier = identifiers.get(name);
    if (identifier === undefined) {
      identifier = `"${this.sanitizeIdentifier(snakeCase(name))}"`;
      identifiers.set(name, identifier);
    }
    this.append(identifier);
  }
}

const snakeCase = (name: string): string =>
  name.replaceAll(/(?<=[^A-Z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** PostgreSQL through trips: every statement is prepared once per connection of the pool. */
export const tripDialect = (pool: pg.Pool): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new StatementCompiler(),
  createDriver: () => createDriver(pool),
});

function createDriver(pool: pg.Pool): Driver {
  const clients = new WeakMap<DatabaseConnection, pg.PoolClient>();
  // tenant.ts begins and commits, with the tenant's context.
  const refuse = async (): Promise<never> => {
    throw new Error('transactions begin in inTenant or acrossTenants');
  };
  return {
    async init() {
      // The pool connects when it is first used.
    },
    async acquireConnection() {
      const client = await pool.connect();
      const connection = new TripConnection(async (statements) => {
        if (connection.isBroken) throw new Error('Connection terminated: a trip on it had no end');
        const { answers } = client.query(new Trip(statements));
        if (trips.hasSubscribers)
          trips.publish({
            statements: statements.length,
            texts: statements.map(({ sql }) => sql),
            answers,
          });
        try {
          return await answers;
        } catch (error) {
          // Anything but a failed statement: the session has ended, or is still at it (`query_timeout`) and
          // its answer would belong to the next transaction.
          const isOfStatement = error instanceof pg.DatabaseError && !ENDED.test(error.code ?? '');
          if (!isOfStatement) connection.isBroken = true;
          throw error;
        }
      });
      clients.set(connection, client);
      return connection;
    },
    async releaseConnection(connection) {
      if (!(connection instanceof TripConnection)) return;
      connection.close();
      clients.get(connection)?.release(connection.isBroken);
    },
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => pool.end(),
  };
}
