import type pg from 'pg';

import { ConfigError } from '../../kernel/process/config.ts';
import { type Migration, numberOf } from './migration.ts';

type Connection = Pick<pg.ClientBase, 'query'>;

/** A row of `svc_migration`; `sha256` is null where a version before 0.2.0 applied it. */
export type Applied = { name: string; sha256: string | null; compatible: boolean };

/** Reads what was applied; makes the table, or the columns that a version before 0.2.0 did not know. */
export async function readApplied(connection: Connection): Promise<Applied[]> {
  const { rows: columns } = await connection.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'svc_migration'`,
  );
  if (columns.length === 0)
    await connection.query(`create table svc_migration (name text primary key,
      applied_at timestamptz not null default now(), sha256 text, compatible boolean not null default false)`);
  else if (!columns.some(({ name }) => name === 'sha256'))
    await connection.query(`alter table svc_migration add column sha256 text,
      add column compatible boolean not null default false`);
  const { rows } = await connection.query<Applied>(
    'select name, sha256, compatible from svc_migration order by name',
  );
  return rows;
}

type Checked = {
  pending: Migration[];
  /** Applied before digests were kept; theirs are taken from the files. */
  unsigned: Migration[];
  /** Applied by newer code, and marked as compatible with older code. */
  newer: string[];
};

/**
 * Compares what was applied with the files of `sql/`. Throws ConfigError, by name, for a migration that this code does
 * not have unless it is marked as compatible, for a file that was edited after it was applied, and for a file whose
 * number is not later than all applied ones.
 */
export function checkApplied(applied: readonly Applied[], files: readonly Migration[]): Checked {
  const byName = new Map(files.map((file) => [file.name, file]));
  const unknown = applied.filter(({ name }) => !byName.has(name));
  const breaking = unknown.filter(({ compatible }) => !compatible).map(({ name }) => name);
  if (breaking.length > 0) {
    throw new ConfigError(
      `A newer version upgraded this database: ${listed(breaking)} not known to this version. Start the newer version, or restore the backup made before the upgrade.`,
    );
  }
  const edited = applied.filter(({ name, sha256 }) => {
    const file = byName.get(name);
    return file && sha256 !== null && sha256 !== file.sha256;
  });
  if (edited.length > 0) {
    throw new ConfigError(
      `The file of an applied migration was changed: ${edited.map(({ name }) => name).join(', ')}. Restore the file; a correction is a migration with the next number.`,
    );
  }
  const names = new Set(applied.map(({ name }) => name));
  const pending = files.filter(({ name }) => !names.has(name));
  const last = numberOf(applied.at(-1)?.name ?? '');
  const late = pending.filter(({ name }) => numberOf(name) <= last).map(({ name }) => name);
  if (late.length > 0) {
    throw new ConfigError(
      `This database is at ${last}: ${listed(late)} numbered before that and cannot be applied any more. Give it the next number.`,
    );
  }
  const unsigned = applied.flatMap(({ name, sha256 }) =>
    sha256 === null ? (byName.get(name) ?? []) : [],
  );
  return { pending, unsigned, newer: unknown.map(({ name }) => name) };
}

const MOST = 5;
/** Names as the subject of a sentence, with their verb. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST).join(', ');
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : '';
  return `${shown}${more} ${names.length === 1 ? 'is' : 'are'}`;
}
