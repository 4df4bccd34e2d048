import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import type { TestProject } from 'vitest/node';

import { startPlatform } from '../../src/main.ts';
import { readSettings } from '../../src/settings.ts';
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
  // Several projects of one run may want a template of their own.
  const database = `svc_test_${process.pid}_${project.name}`;
  await withServer(url, (client) => client.query(`create database ${database}`));
  await start({ SVC_DATA_DIR: root, DATABASE_URL: databaseUrl(url, database) });
  project.provide('template', { engine: 'postgres', url, database });
  return async () => {
    const names = await withServer(url, async (client) => {
      const { rows } = await client.query<{ datname: string }>(
        'select datname from pg_database where datname like $1',
        [`${database}%`],
      );
      return rows.map(({ datname }) => datname);
    });
    for (const name of names) await dropDatabase(url, name);
    await rm(root, { recursive: true, force: true });
  };
}

async function start(environment: Record<string, string>): Promise<void> {
  const platform = await startPlatform(readSettings({ ...testEnvironment, ...environment }));
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

/** An autovacuum worker of the server may still be in it, which an ordinary owner cannot end: tries again. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withServer(url, (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(250);
    }
  }
}

export function databaseUrl(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}
