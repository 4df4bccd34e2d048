import type pg from 'pg';

import type { Log } from '../../kernel/log/log.ts';
import { type MemorySchema, prepareMemory } from '../schema/memory-schema.ts';
import { checkApplied, readApplied } from './applied.ts';
import { type Migration, migrations } from './migration.ts';

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
 * under an advisory lock, then what the chat memory needs. Safe to run again and from several
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
    const { pending, unsigned, newer } = checkApplied(applied, migrations());
    if (newer.length > 0)
      log.warn({ migrations: newer }, 'a newer version changed this database compatibly');
    if (applied.length === 0) onNew?.();
    if (unsigned.length > 0) await sign(connection, unsigned);
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

async function apply(
  connection: Connection,
  { name, text, sha256, compatible }: Migration,
): Promise<void> {
  await connection.query('begin');
  try {
    await connection.query(text);
    await connection.query(
      'insert into svc_migration (name, sha256, compatible) values ($1, $2, $3)',
      [name, sha256, compatible],
    );
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw new Error(`Migration ${name} failed`, { cause: error });
  }
}

/** Stores the digests of migrations that a version before 0.2.0 applied. */
async function sign(connection: Connection, files: readonly Migration[]): Promise<void> {
  await connection.query(
    `update svc_migration set sha256 = given.sha256
     from unnest($1::text[], $2::text[]) as given (name, sha256)
     where svc_migration.name = given.name and svc_migration.sha256 is null`,
    [files.map(({ name }) => name), files.map(({ sha256 }) => sha256)],
  );
}
