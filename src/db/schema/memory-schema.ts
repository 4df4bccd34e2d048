import { readFileSync } from 'node:fs';

import type pg from 'pg';

import { ConfigError } from '../../kernel/process/config.ts';
import type { Log } from '../../kernel/process/log.ts';

const SCRIPT = new URL('../../../sql/memory.sql', import.meta.url);
const TABLE = 'svc_chat_memory';

/** AGENTIC_MEMORY_ENABLED and AGENTIC_MEMORY_SCHEMA_INIT (docs/specification/limits.md, Settings). */
export type MemorySchema = {
  enabled: boolean;
  schemaInit: 'always' | 'never' | 'create_if_not_exists';
};

type Connection = Pick<pg.ClientBase, 'query'>;

/**
 * Creates the table of the chat memory as the setting says, as the owner of the database: `always` runs the
 * script at every start, `create_if_not_exists` when the table is missing. With `never` the table has to
 * exist if the memory is enabled; throws ConfigError otherwise.
 */
export async function prepareMemory(
  connection: Connection,
  { enabled, schemaInit }: MemorySchema,
  log: Log,
): Promise<void> {
  const { rows } = await connection.query<{ isThere: boolean }>(
    `select to_regclass('public.${TABLE}') is not null as "isThere"`,
  );
  const isThere = rows[0]?.isThere ?? false;
  if (schemaInit === 'never') {
    if (enabled && !isThere) throw new ConfigError(MISSING);
    return;
  }
  if (isThere && schemaInit === 'create_if_not_exists') return;
  await connection.query('begin');
  try {
    await connection.query(readFileSync(SCRIPT, 'utf8'));
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw new Error('The table of the chat memory could not be made', { cause: error });
  }
  if (!isThere) log.info({ table: TABLE }, 'chat memory table created');
}

const MISSING =
  `AGENTIC_MEMORY_ENABLED is on, but the table ${TABLE} does not exist and ` +
  'AGENTIC_MEMORY_SCHEMA_INIT is never. Make it once with ' +
  'AGENTIC_MEMORY_SCHEMA_INIT=create_if_not_exists npm run svc -- migrate';
