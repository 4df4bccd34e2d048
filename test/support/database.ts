import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inject } from 'vitest';

import { removeBus } from './rabbitmq.ts';
import { databaseUrl, dropDatabase, withServer } from './template.ts';

/** A migrated and seeded database of its own, as environment for `readSettings`. */
export type FreshDatabase = {
  environment: Record<string, string>;
  remove(): Promise<void>;
};

let counter = 0;

/** Clones the template of this project's engine; `empty` gives one that was never started. */
export async function freshDatabase({ empty = false } = {}): Promise<FreshDatabase> {
  const template = inject('template');
  const directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  if (template.engine === 'embedded') {
    if (!empty) await cp(template.directory, directory, { recursive: true });
    return { environment: { SVC_DATA_DIR: directory }, remove: removeDirectory };
  }
  counter += 1;
  const database = `${template.database}_${process.pid}_${counter}`;
  const source = empty ? 'template1' : template.database;
  await withServer(template.url, (client) =>
    client.query(`create database ${database} template ${source}`),
  );
  const amqpUrl = process.env['SVC_TEST_AMQP'];
  return {
    environment: {
      SVC_DATA_DIR: directory,
      DATABASE_URL: databaseUrl(template.url, database),
      // The bus goes with the data: who starts again on the same finds the same queues.
      ...(amqpUrl ? { AMQP_URL: amqpUrl, SVC_BUS_PREFIX: database } : {}),
    },
    async remove() {
      if (amqpUrl) await removeBus(amqpUrl, database);
      await dropDatabase(template.url, database);
      await removeDirectory();
    },
  };
}
