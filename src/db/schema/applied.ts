import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

import type pg from 'pg';

import { ConfigError } from '../../kernel/process/config.ts';

const SQL_DIRECTORY = new URL('../../../sql/', import.meta.url);
/** Marks a migration that an older version of the code can work with, for example an index. */
const COMPATIBLE = /^--! compatible\b/;
/** Marks what the migrations up to 0240 added up to, one file for each area. */
const BASELINE = /^--! baseline\b/;

/** A file of `sql/`: its digest is SHA-256 (hex) of its text with LF line ends. */
export type Migration = {
  name: string;
  text: string;
  sha256: string;
  compatible: boolean;
  baseline: boolean;
};

/** The numbered files of `sql/` in their order. Throws for a number that two of them have. */
export function migrations(): Migration[] {
  const files = readdirSync(SQL_DIRECTORY)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .toSorted();
  demandUniqueNumbers(files);
  return files.map((name) => {
    const text = readFileSync(new URL(name, SQL_DIRECTORY), 'utf8').replaceAll('\r\n', '\n');
    const sha256 = createHash('sha256').update(text).digest('hex');
    return {
      name,
      text,
      sha256,
      compatible: COMPATIBLE.test(text),
      baseline: BASELINE.test(text),
    };
  });
}

function demandUniqueNumbers(files: readonly string[]): void {
  const twice = files.filter((file, index) => numberOf(files[index - 1] ?? '') === numberOf(file));
  if (twice.length > 0)
    throw new Error(`Two migrations have the number of ${twice.join(', ')}; give it the next one`);
}

const numberOf = (name: string): string => name.slice(0, 4);

type Connection = Pick<pg.ClientBase, 'query'>;

/** The last migration before the baseline: version 0.2.0 brings a database to it. */
const LAST_BEFORE = {
  name: '0240_identity_notice.sql',
  sha256: '2d8c29dad244340fc961a0915ff4b24e9d6ac5a7c932853563d41fb11021090c',
};

/** A row of `svc_migration`; `sha256` is null where a version before 0.2.0 applied it. */
export type Applied = { name: string; sha256: string | null; compatible: boolean };

/** Reads what was applied; makes the table, whose two last columns a version before 0.2.0 did not have. */
export async function readApplied(connection: Connection): Promise<Applied[]> {
  const { rows: tables } = await connection.query(
    "select where to_regclass('public.svc_migration') is not null",
  );
  if (tables.length === 0)
    await connection.query(`create table svc_migration (name text primary key,
      applied_at timestamptz not null default now(), sha256 text, compatible boolean not null default false)`);
  const { rows } = await connection.query<Applied>(
    `select name, to_jsonb(m) ->> 'sha256' as sha256,
       coalesce((to_jsonb(m) ->> 'compatible')::boolean, false) as compatible
     from svc_migration m order by name`,
  );
  return rows;
}

type Checked = {
  pending: Migration[];
  /** What a database from before the baseline has already. */
  takenOver: Migration[];
  /** Applied by newer code, and marked as compatible with older code. */
  newer: string[];
};

/**
 * Compares what was applied with the files of `sql/`. Throws ConfigError, by name, for a migration that this code does
 * not have unless it is marked as compatible, for a file that was edited after it was applied, for a file whose number
 * is not later than all applied ones, and for a database that is older than the last migration before the baseline.
 */
export function checkApplied(applied: readonly Applied[], files: readonly Migration[]): Checked {
  const before = applied.filter(({ name }) => numberOf(name) <= numberOf(LAST_BEFORE.name));
  const from = before.at(-1)?.name ?? LAST_BEFORE.name;
  if (from !== LAST_BEFORE.name) {
    throw new ConfigError(
      `This database is at ${from}, and this version upgrades databases from ${LAST_BEFORE.name} on. Start version 0.2.0 on it once, then this version.`,
    );
  }
  const byName = new Map([LAST_BEFORE, ...files].map((file) => [file.name, file]));
  const unknown = applied.filter((one) => !before.includes(one) && !byName.has(one.name));
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
  const takenOver = before.length > 0 ? pending.filter(({ baseline }) => baseline) : [];
  return {
    pending: pending.filter((file) => !takenOver.includes(file)),
    takenOver,
    newer: unknown.map(({ name }) => name),
  };
}

const MOST = 5;
/** Names as the subject of a sentence, with their verb. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST).join(', ');
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : '';
  return `${shown}${more} ${names.length === 1 ? 'is' : 'are'}`;
}
