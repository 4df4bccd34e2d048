import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inject } from 'vitest';

import { removeBus } from '../neighbours/rabbitmq.ts';
import { databaseUrl, dropDatabase, type State, withServer } from './template.ts';

const ENGINE = 'node_modules/@electric-sql/pglite/dist/pglite.wasm';
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

/** A database of its own, as environment for `readSettings`. */
export type FreshDatabase = {
  environment: Record<string, string>;
  remove(): Promise<void>;
};

let counter = 0;
let engineCode: Promise<object> | undefined;

/** A database of this project's engine in the given state: a copy, unless it is to be empty. */
export async function freshDatabase(state: State = 'seeded'): Promise<FreshDatabase> {
  const template = inject('template');
  const directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  if (template.engine === 'embedded') {
    // As long as this is held, each further engine of the process takes the compiled code over.
    await (engineCode ??= readFile(ENGINE).then((bytes) => WebAssembly.compile(bytes)));
    if (state !== 'empty') await cp(template.states[state], directory, { recursive: true });
    return { environment: { SVC_DATA_DIR: directory }, remove: removeDirectory };
  }
  counter += 1;
  const database = `${template.prefix}_${process.pid}_${counter}`;
  await withServer(template.url, (client) =>
    client.query(`create database ${database} template ${template.states[state]}`),
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
