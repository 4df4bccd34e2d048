import pg from 'pg';

import { databaseUrl, dropDatabase } from '../support/world/template.ts';

/** Databases of their own on the server behind `url`, dropped at the end; null without one. */
export async function freshDatabases(url: string | undefined) {
  if (!url) return null;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  const names: string[] = [];
  return {
    /** The URL of a new, empty database. */
    async make(): Promise<string> {
      const name = `svc_bench_${process.pid}_${names.length}`;
      await client.query(`create database ${name}`);
      names.push(name);
      return databaseUrl(url, name);
    },
    /**
     * What autovacuum does within its first minutes, and by itself in the middle of a measurement: without statistics
     * the planner takes tables that grow for small ones.
     */
    async settle(): Promise<void> {
      for (const name of names) {
        const owner = new pg.Client({
          connectionString: databaseUrl(url, name),
          connectionTimeoutMillis: 10_000,
        });
        await owner.connect();
        await owner.query('vacuum (analyze, skip_locked)').finally(() => owner.end());
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        for (const name of names) await dropDatabase(url, name);
      } finally {
        await client.end();
      }
    },
  };
}
