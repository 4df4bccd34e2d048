import type pg from 'pg';

import type { Log } from '../../kernel/process/log.ts';
import { checkApplied, type Migration, migrations, readApplied } from './applied.ts';
import { type MemorySchema, prepareMemory } from './memory-schema.ts';

/** Any fixed number: keeps processes that start at the same time from migrating at the same time. */
const ADVISORY_LOCK = 7_317_001;

type Connection = Pick<pg.ClientBase, 'query'>;

export type Preparation = {
  /** Set by processes that may keep a chat memory. */
  memory?: MemorySchema;
  /** Called before the first migration of an empty database. */
  onNew?: () => void;
};

/**
 * Applies the numbered files of `sql/` that are not applied yet, each in a transaction of its own,
 * under an advisory lock, then what the chat memory needs. A database from before the baseline has
 * what its files make, so they are only recorded. Safe to run again and from several
 * processes at once. Throws ConfigError like `checkApplied`; nothing is changed then.
 */
export async function migrate(
  connection: Connection,
  log: Log,
  { memory, onNew }: Preparation,
): Promise<void> {
  await connection.query(`select pg_advisory_lock(${ADVISORY_LOCK})`);
  try {
    const applied = await readApplied(connection);
    const { pending, takenOver, newer } = checkApplied(applied, migrations());
    if (newer.length > 0)
      log.warn({ migrations: newer }, 'a newer version changed this database compatibly');
    if (applied.length === 0) onNew?.();
    if (takenOver.length > 0) {
      await record(connection, takenOver);
      log.info(
        { migrations: takenOver.length },
        'the database of an earlier version goes on from the baseline',
      );
    }
    for (const migration of pending) {
      await apply(connection, migration);
      log.debug({ migration: migration.name }, 'migration applied');
    }
    if (pending.length > 0) {
      const last = pending.at(-1)?.name;
      log.info({ migrations: pending.length, last }, 'the database is up to date');
    }
    await connection.query('select svc_maintain_partitions(now())');
    if (memory) await prepareMemory(connection, memory, log);
  } finally {
    await connection.query(`select pg_advisory_unlock(${ADVISORY_LOCK})`);
  }
}

async function apply(connection: Connection, migration: Migration): Promise<void> {
  await connection.query('begin');
  try {
    await connection.query(migration.text);
    await record(connection, [migration]);
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw new Error(`Migration ${migration.name} failed`, { cause: error });
  }
}

/** All of them or none: a database is taken over as a whole. */
async function record(connection: Connection, files: readonly Migration[]): Promise<void> {
  await connection.query(
    `insert into svc_migration (name, sha256, compatible)
     select * from unnest($1::text[], $2::text[], $3::boolean[])`,
    [
      files.map(({ name }) => name),
      files.map(({ sha256 }) => sha256),
      files.map(({ compatible }) => compatible),
    ],
  );
}
