import type { Worker } from 'node:worker_threads';

import { Unavailable } from '../../kernel/errors.ts';
import type { Batch } from './outgoing.ts';
import { DISK_REFUSED, startThread } from './thread.ts';

/** Rows of each statement, as text. */
type StatementRows = (string | null)[][][];

export type Request =
  | { kind: 'exec'; id: number; bytes: Uint8Array<ArrayBuffer>; answers: number }
  | { kind: 'maintain'; id: number; sql: readonly string[] }
  | { kind: 'waive' }
  | { kind: 'close'; id: number };

export type Reply =
  | { kind: 'ready'; parameters: Record<string, string> }
  | { kind: 'bytes'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'rows'; id: number; rows: StatementRows | undefined }
  | { kind: 'refused'; id: number; message: string }
  | { kind: 'done'; id: number; bytes?: Uint8Array<ArrayBuffer> };

/** The main thread's connection to the engine; requests are answered in order. */
export type Link = {
  parameters: Readonly<Record<string, string>>;
  /** Requests sent so far, to tell whether anything happened. */
  sent(): number;
  /** Hands over client messages; `onBytes` gets the answer in pieces. Rejects when the engine dies. */
  exec(batch: Batch, onBytes: (bytes: Buffer) => void): Promise<void>;
  /** Runs statements as superuser as soon as no transaction is open; undefined when waived. */
  maintain(sql: readonly string[]): Promise<StatementRows | undefined>;
  /** Gives up maintenance that still waits for the end of a transaction. */
  waive(): void;
  /** Checkpoints and ends the engine. */
  close(): Promise<void>;
  /** Ends the thread at once, as a crash would. */
  kill(): Promise<unknown>;
  /** Calls `run` with the reason when the engine dies; at once if it is dead already. */
  onDeath(run: (reason: Error) => void): () => void;
};

type Waiting = {
  onBytes(bytes: Buffer): void;
  resolve(rows: StatementRows | undefined): void;
  reject(reason: Error): void;
};

const nothing = (): void => undefined;

/** Opens `dataDir` in a thread that has opened none; rejects with Unavailable (503) when it cannot open. */
export async function startLink(dataDir: string, worker: Worker = startThread()): Promise<Link> {
  const waiting = new Map<number, Waiting>();
  const mourners = new Set<(reason: Error) => void>();
  const started = Promise.withResolvers<Record<string, string>>();
  let sent = 0;
  let closing = false;
  let death: Error | undefined;

  function die(cause: unknown): void {
    if (death) return;
    death = new Unavailable('The embedded database has stopped', cause);
    const why = cause instanceof Error ? cause.message : String(cause);
    started.reject(new Unavailable(`The embedded database cannot be opened: ${why}`, cause));
    for (const one of waiting.values()) one.reject(death);
    waiting.clear();
    if (!closing) for (const tell of mourners) tell(death);
  }

  function settle(id: number, how: (one: Waiting) => void): void {
    const one = waiting.get(id);
    waiting.delete(id);
    // An idle engine must not keep the process alive, an unanswered request must.
    if (waiting.size === 0) worker.unref();
    if (one) how(one);
  }

  worker.on('error', die);
  worker.on('exit', (code) =>
    die(
      new Error(
        code === DISK_REFUSED ? 'the disk refused to sync' : `its thread ended with code ${code}`,
      ),
    ),
  );
  worker.on('message', (reply: Reply) => {
    switch (reply.kind) {
      case 'ready':
        return started.resolve(reply.parameters);
      case 'bytes':
        return waiting.get(reply.id)?.onBytes(Buffer.from(reply.bytes.buffer));
      case 'rows':
        return settle(reply.id, (one) => one.resolve(reply.rows));
      case 'refused':
        return settle(reply.id, (one) => one.reject(new Error(reply.message)));
      case 'done':
        if (reply.bytes?.length) waiting.get(reply.id)?.onBytes(Buffer.from(reply.bytes.buffer));
        return settle(reply.id, (one) => one.resolve(undefined));
    }
  });

  function request(
    make: (id: number) => Request,
    onBytes: (bytes: Buffer) => void,
  ): Promise<StatementRows | undefined> {
    if (death) return Promise.reject(death);
    if (closing) return Promise.reject(new Unavailable('The embedded database is closed'));
    const id = ++sent;
    const message = make(id);
    if (waiting.size === 0) worker.ref();
    return new Promise((resolve, reject) => {
      waiting.set(id, { onBytes, resolve, reject });
      worker.postMessage(message, message.kind === 'exec' ? [message.bytes.buffer] : []);
    });
  }

  worker.ref();
  worker.postMessage(dataDir, []);
  const parameters = await started.promise;
  worker.unref();
  return {
    parameters,
    sent: () => sent,
    async exec(batch, onBytes) {
      await request((id) => ({ kind: 'exec', id, ...batch }), onBytes);
    },
    maintain: (sql) =>
      closing
        ? Promise.resolve(undefined)
        : request((id) => ({ kind: 'maintain', id, sql }), nothing),
    waive: () => worker.postMessage({ kind: 'waive' } satisfies Request, []),
    async close() {
      const answered = request((id) => ({ kind: 'close', id }), nothing);
      closing = true;
      try {
        await answered;
      } finally {
        await worker.terminate();
      }
    },
    kill: () => worker.terminate(),
    onDeath(run) {
      if (death) run(death);
      else mourners.add(run);
      return () => void mourners.delete(run);
    },
  };
}
