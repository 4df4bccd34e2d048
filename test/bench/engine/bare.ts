import { PGlite, types } from '@electric-sql/pglite';
import pg from 'pg';

import { DurableFs } from '../../../src/db/embedded/durable-fs.ts';
import { prepareDirectory } from '../../../src/db/embedded/prepare-directory.ts';
import { startParameters } from '../../../src/db/embedded/start-parameters.ts';
import { APP_ROLE } from '../../../src/db/server/server-session.ts';
import { withServer } from '../../support/world/template.ts';

/** Rows of a statement; ids are text. */
type Query = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>;

/** An engine through its own driver and nothing else, behind row-level security as the platform is. */
export type Bare = {
  /** Runs `work` in one transaction that sees the rows of `tenantId` only. */
  inTenant<T>(tenantId: string, work: (query: Query) => Promise<T>): Promise<T>;
};

/** PostgreSQL for a URL, else the embedded engine in the directory, in this thread. */
export const openBare = (where: string): Promise<Bare> | Bare =>
  URL.canParse(where) ? openServer(where) : openEmbedded(where);

/** Three waits around one statement: begin with the tenant, the statement, commit. */
function openServer(connectionString: string): Bare {
  const pool = new pg.Pool({ connectionString, max: 10, options: `-c role=${APP_ROLE}` });
  return {
    async inTenant(tenantId, work) {
      const client = await pool.connect();
      try {
        await client.query(`begin; ${contextOf(tenantId)}`);
        const result = await work(async (text, values) => (await client.query(text, values)).rows);
        await client.query('commit');
        return result;
      } finally {
        client.release();
      }
    },
  };
}

/** As durable as ours: the same files, synced by the same hook, under the same settings. */
async function openEmbedded(directory: string): Promise<Bare> {
  const database = await openFiles(directory);
  await database.exec(`set role ${APP_ROLE}`);
  return {
    inTenant: (tenantId, work) =>
      database.transaction(async (transaction) => {
        await transaction.exec(contextOf(tenantId));
        return work(
          async (text, values) =>
            (await transaction.query<Record<string, unknown>>(text, values)).rows,
        );
      }),
  };
}

async function openFiles(directory: string): Promise<PGlite> {
  const { root, finish } = prepareDirectory(directory);
  const database = await PGlite.create({
    fs: new DurableFs(root),
    startParams: [...startParameters],
    parsers: { [types.INT8]: String },
  });
  finish();
  return database;
}

/** Gives the planner its statistics, as the engine's own maintenance would some time after a table was filled. */
export async function analyse(where: string): Promise<void> {
  if (URL.canParse(where)) {
    await withServer(where, (client) => client.query(ANALYSE));
  } else {
    const database = await openFiles(where);
    await database.exec(ANALYSE);
    await database.close();
  }
}

const ANALYSE = 'vacuum analyze';
const contextOf = (tenantId: string): string => `set local svc.tenant_id = '${tenantId}'`;
