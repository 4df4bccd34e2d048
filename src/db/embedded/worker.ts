import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';

import { PGlite } from '@electric-sql/pglite';

import { systemClock } from '../../kernel/clock.ts';
import { DurableFs } from './durable-fs.ts';
import type { Reply, Request } from './link.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { createSession, EngineBroken } from './session.ts';
import { startParameters } from './start-parameters.ts';
import { DISK_REFUSED } from './thread.ts';

/** Lines of PostgreSQL's own output that an error repeats. */
const LAST_WORDS = 5;

const port = parentPort;
if (port === null) throw new Error('started outside the engine');
const [dataDir]: unknown[] = await once(port, 'message');
if (typeof dataDir !== 'string') throw new Error('no directory to open');

async function open(directory: string): Promise<{ database: PGlite; files: DurableFs }> {
  const { root, made, finish } = prepareDirectory(directory);
  const files = new DurableFs(root, made, () => process.exit(DISK_REFUSED));
  let words: string[] = [];
  const options = {
    fs: files,
    startParams: [...startParameters],
    onStderr(line: string) {
      words = [...words, line].slice(-LAST_WORDS);
      return false;
    },
  };
  const database = await PGlite.create(options).catch((error: unknown) => {
    // PGlite's own error says only that the engine did not start; why is in what PostgreSQL printed.
    throw new Error([error instanceof Error ? error.message : String(error), ...words].join('\n'));
  });
  finish();
  return { database, files };
}

const { database, files } = await open(dataDir);
const post = (reply: Reply, bytes?: Uint8Array<ArrayBuffer>): void =>
  port.postMessage(reply, bytes ? [bytes.buffer] : []);
const session = createSession(database, files, systemClock);

// Under load a transaction is nearly always open: maintenance runs when one ends.
let deferred: Extract<Request, { kind: 'maintain' }>[] = [];

async function maintainWhenIdle(): Promise<void> {
  while (session.idle()) {
    const request = deferred.shift();
    if (request === undefined) return;
    try {
      post({ kind: 'rows', id: request.id, rows: await session.privileged(request.sql) });
    } catch (error) {
      if (error instanceof EngineBroken) throw error;
      post({ kind: 'refused', id: request.id, message: String(error) });
    }
  }
}

function waive(): void {
  for (const { id } of deferred) post({ kind: 'rows', id, rows: undefined });
  deferred = [];
}

async function answer(request: Request): Promise<void> {
  switch (request.kind) {
    case 'exec': {
      const { id } = request;
      const last = await session.exec(request.bytes, request.answers, (bytes) =>
        post({ kind: 'bytes', id, bytes }, bytes),
      );
      // The last bytes travel with `done`: every message between threads costs.
      post({ kind: 'done', id, bytes: last }, last);
      return maintainWhenIdle();
    }
    case 'maintain':
      deferred.push(request);
      return maintainWhenIdle();
    case 'waive':
      return waive();
    case 'close':
      waive();
      await session.shutDown();
      await database.close();
      return post({ kind: 'done', id: request.id });
  }
}

await session.proveDurable();
// One request after the other: there is one session, and batches must not interleave.
let last = Promise.resolve();
port.on('message', (request: Request) => {
  last = last.then(() => answer(request));
  last.catch((error: unknown) => {
    // An engine that failed in the middle of a request is in an unknown state: end the thread.
    process.nextTick(() => {
      throw error;
    });
  });
});
post({ kind: 'ready', parameters: await session.parameters() });
