import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import type { TestProject } from 'vitest/node';

import { readConfig } from '../../src/core/config.ts';
import { startPlatform } from '../../src/main.ts';
import { testEnvironment } from './environment.ts';

/** What a test file clones instead of migrating and seeding again. */
export type Template =
  | { engine: 'embedded'; directory: string }
  | { engine: 'postgres'; url: string; database: string };

declare module 'vitest' {
  interface ProvidedContext {
    template: Template;
  }
}

/** Builds the template of this project's engine once: started, migrated, seeded, stopped. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await mkdtemp(join(tmpdir(), 'svc-template-'));
  const url = project.config.env['SVC_TEST_DATABASE'];
  if (url) return setupServer(project, url, root);
  const directory = join(root, 'data');
  await start({ SVC_DATA_DIR: directory });
  project.provide('template', { engine: 'embedded', directory });
  return () => rm(root, { recursive: true, force: true });
}

async function setupServer(
  project: TestProject,
  url: string,
  root: string,
): Promise<() => Promise<void>> {
  const database = `svc_test_${process.pid}`;
  await withServer(url, (client) => client.query(`create database ${database}`));
  await start({ SVC_DATA_DIR: root, DATABASE_URL: databaseUrl(url, database) });
  project.provide('template', { engine: 'postgres', url, database });
  return async () => {
    await withServer(url, async (client) => {
      const { rows } = await client.query<{ datname: string }>(
        'select datname from pg_database where datname like $1',
        [`${database}%`],
      );
      for (const { datname } of rows)
        await client.query(`drop database if exists ${datname} with (force)`);
    });
    await rm(root, { recursive: true, force: true });
  };
}

async function start(environment: Record<string, string>): Promise<void> {
  const platform = await startPlatform(readConfig({ ...testEnvironment, ...environment }));
  await platform.stop();
}

export async function withServer<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function databaseUrl(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}
