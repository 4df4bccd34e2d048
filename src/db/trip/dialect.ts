import { channel } from 'node:diagnostics_channel';

import {
  CamelCasePlugin,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';

import { TripConnection } from './connection.ts';
import { Trip } from './trip.ts';

/** Every trip as it leaves, for those that count them: how many statements, their texts, and the end. */
const trips = channel('svc:trip');

/** Message of `pg` for a trip without an answer in time (`query_timeout`); it has no code. */
const TIMED_OUT = 'Query read timeout';

/** Names columns in statements; the columns of answers are named once per statement (prepared.ts). */
export class StatementNames extends CamelCasePlugin {
  override transformResult: CamelCasePlugin['transformResult'] = async ({ result }) => result;
}

/** PostgreSQL through trips: every statement is prepared once per connection of the pool. */
export const tripDialect = (pool: pg.Pool): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
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
          // The server may still be at it; its answer would belong to the next transaction.
          if (error instanceof Error && error.message === TIMED_OUT) connection.isBroken = true;
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
