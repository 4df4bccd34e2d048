import {
  type Dialect,
  type Driver,
  type IdentifierNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';

import { PoolConnection } from './pool-connection.ts';
import { singleTrips } from './single.ts';

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
  const sendSingle = singleTrips(pool);
  // tenant.ts begins and commits, with the tenant's context.
  const refuse = async (): Promise<never> => {
    throw new Error('transactions begin in inTenant or acrossTenants');
  };
  return {
    async init() {
      // The pool connects when it is first used.
    },
    async acquireConnection() {
      return new PoolConnection(pool, sendSingle);
    },
    async releaseConnection(connection) {
      if (connection instanceof PoolConnection) await connection.release();
    },
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => pool.end(),
  };
}
