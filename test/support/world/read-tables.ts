import type { Database } from '../../../src/db/connect.ts';

/** The same database, noting every table that a statement through it names. */
export function readTables(db: Database): { db: Database; tables(): string[] } {
  const tables = new Set<string>();
  const queries = db.queries.withPlugin({
    transformQuery({ node }) {
      for (const [name] of JSON.stringify(node, bigints).matchAll(/\bsvc_\w+/g)) tables.add(name);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: { ...db, queries }, tables: () => [...tables].toSorted() };
}

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;
