import { readdirSync, readFileSync } from 'node:fs';

import type pg from 'pg';

import type { Log } from '../core/log/log.ts';
import { type MemorySchema, prepareMemory } from './schema/memory-schema.ts';

const SQL_DIRECTORY = new URL('../../sql/', import.meta.url);
/** Any fixed number: keeps processes that start at the same time from migrating at the same time. */
const ADVISORY_LOCK = 7_317_001;

type Connection = Pick<pg.ClientBase, 'query'>;

export type Preparation = {
  /** Set by processes that may keep a chat memory. */
  memory?: MemorySchema;
  /** Called before the first migration of an empty database. */
  onNew?: () => void;
};

type Migration = { name: string; text: string };

function migrations(): Migration[] {
  return readdirSync(SQL_DIRECTORY)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .toSorted()
    .map((file) => ({ name: file, text: readFileSync(new URL(file, SQL_DIRECTORY), 'utf8') }));
}

/**
 * Applies the numbered files of `sql/` that are not applied yet, each in a transaction of its own,
 * under an advisory lock, then what the chat memory needs. Safe to run again and from several
 * processes at once.
 */
export async function migrate(
  connection: Connection,
  log: Log,
  { memory, onNew }: Preparation,
): Promise<void> {
  await connection.query(`select pg_advisory_lock(${ADVISORY_LOCK})`);
  try {
    await connection.query(`create table if not exists svc_migration (
      name text primary key, applied_at timestamptz not null default now())`);
    const { rows } = await connection.query<{ name: string }>('select name from svc_migration');
    const applied = new Set(rows.map((row) => row.name));
    if (applied.size === 0) onNew?.();
    const added: string[] = [];
    for (const { name, text } of migrations()) {
      if (applied.has(name)) continue;
      await connection.query('begin');
      try {
        await connection.query(text);
        await connection.query('insert into svc_migration (name) values ($1)', [name]);
        await connection.query('commit');
      } catch (error) {
        await connection.query('rollback');
        throw new Error(`Migration ${name} failed`, { cause: error });
      }
      log.debug({ migration: name }, 'migration applied');
      added.push(name);
    }
    if (added.length > 0)
      log.info({ migrations: added.length, last: added.at(-1) }, 'the database is up to date');
    await connection.query('select svc_maintain_partitions(now())');
    if (memory) await prepareMemory(connection, memory, log);
  } finally {
    await connection.query(`select pg_advisory_unlock(${ADVISORY_LOCK})`);
  }
}
