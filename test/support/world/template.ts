import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import type { TestProject } from 'vitest/node';

import { createApp, startPlatform } from '../../../src/start/platform.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { login } from '../people/session.ts';
import { testEnvironment } from './environment.ts';

/** What has been done to a database: nothing, the migrations, or a whole start with a login of the admin. */
export type State = 'empty' | 'migrated' | 'seeded';

/** What a test file clones instead of migrating and seeding again: a folder or a database per state. */
export type Template =
  | { engine: 'embedded'; states: Record<Exclude<State, 'empty'>, string> }
  | { engine: 'postgres'; url: string; prefix: string; states: Record<State, string> };

declare module 'vitest' {
  interface ProvidedContext {
    template: Template;
  }
}

/** Builds the templates of this project's engine once. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await mkdtemp(join(project.config.env['TMPDIR'] ?? tmpdir(), 'svc-template-'));
  const url = project.config.env['SVC_TEST_DATABASE'];
  const removeTemplates = url
    ? await setupServer(project, url, root)
    : await setupEmbedded(project, root);
  return async () => {
    await removeTemplates();
    await rm(root, { recursive: true, force: true });
  };
}

async function setupEmbedded(project: TestProject, root: string): Promise<() => Promise<void>> {
  const states = { migrated: join(root, 'migrated'), seeded: join(root, 'seeded') };
  await migrateOnly({ SVC_DATA_DIR: states.migrated });
  await cp(states.migrated, states.seeded, { recursive: true });
  await startAndLogin({ SVC_DATA_DIR: states.seeded });
  project.provide('template', { engine: 'embedded', states });
  return async () => {};
}

async function setupServer(
  project: TestProject,
  url: string,
  root: string,
): Promise<() => Promise<void>> {
  // Several projects of one run may want templates of their own.
  const prefix = `svc_test_${process.pid}_${project.name.replaceAll('-', '_')}`;
  const states = { empty: 'template1', migrated: `${prefix}_m`, seeded: `${prefix}_s` };
  const own = (database: string) => ({
    SVC_DATA_DIR: root,
    DATABASE_URL: databaseUrl(url, database),
  });
  await withServer(url, (client) => client.query(`create database ${states.migrated}`));
  await migrateOnly(own(states.migrated));
  await withServer(url, (client) =>
    client.query(`create database ${states.seeded} template ${states.migrated}`),
  );
  await startAndLogin(own(states.seeded));
  project.provide('template', { engine: 'postgres', url, prefix, states });
  return async () => {
    const names = await withServer(url, async (client) => {
      const { rows } = await client.query<{ datname: string }>(
        'select datname from pg_database where datname like $1',
        [`${prefix}%`],
      );
      return rows.map(({ datname }) => datname);
    });
    for (const name of names) await dropDatabase(url, name);
  };
}

const settingsOf = (environment: Record<string, string>) =>
  readSettings({ ...testEnvironment, ...environment });

async function migrateOnly(environment: Record<string, string>): Promise<void> {
  const app = await createApp(settingsOf(environment));
  await app.db.close();
  await app.bus.close();
}

/** The first login replaces the seeded hash, which takes much longer to verify. */
async function startAndLogin(environment: Record<string, string>): Promise<void> {
  const { app, stop } = await startPlatform(settingsOf(environment));
  await login(app.config.baseUrl, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  await stop();
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
