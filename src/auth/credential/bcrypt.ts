import { Worker } from 'node:worker_threads';

import { z } from 'zod';

import { Unavailable } from '../../kernel/errors.ts';

const ANSWER_WITHIN_MS = 30_000;

const Answer = z.object({ id: z.number(), result: z.union([z.string(), z.boolean()]) });
type Result = z.infer<typeof Answer>['result'];
type Pending = { resolve: (result: Result) => void; reject: (error: Error) => void };
type Job =
  | { kind: 'hash'; plain: string; cost: number }
  | { kind: 'verify'; plain: string; hash: string };

let worker: Worker | null = null;
let lastId = 0;
const pending = new Map<number, Pending>();

/** The bcrypt hash of `plain` (at most 72 bytes count) at `cost`; computed off the event loop. */
export async function bcryptHash(plain: string, cost: number): Promise<string> {
  return String(await run({ kind: 'hash', plain, cost }));
}

/** Whether `plain` is the password behind a bcrypt `hash`; computed off the event loop. */
export async function bcryptVerify(plain: string, hash: string): Promise<boolean> {
  return (await run({ kind: 'verify', plain, hash })) === true;
}

function run(job: Job): Promise<Result> {
  const target = (worker ??= start());
  const id = ++lastId;
  return new Promise<Result>((resolve, reject) => {
    const timer = setTimeout(
      () => fail(target, new Error('bcrypt did not answer')),
      ANSWER_WITHIN_MS,
    );
    const settle = () => {
      clearTimeout(timer);
      pending.delete(id);
      // The thread keeps the process alive only while a result is pending.
      if (pending.size === 0) target.unref();
    };
    pending.set(id, {
      resolve: (result) => {
        settle();
        resolve(result);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
    });
    target.ref();
    target.postMessage({ id, ...job }, []);
  });
}

function start(): Worker {
  const made = new Worker(new URL('./bcrypt-worker.ts', import.meta.url));
  made.on('message', (message: unknown) => {
    const { id, result } = Answer.parse(message);
    pending.get(id)?.resolve(result);
  });
  made.on('error', (error) => fail(made, error));
  made.on('exit', () => fail(made, new Error('the bcrypt thread ended')));
  return made;
}

function fail(broken: Worker, error: unknown): void {
  if (worker !== broken) return;
  worker = null;
  for (const { reject } of pending.values()) {
    reject(new Unavailable('The password could not be checked', error));
  }
  void broken.terminate();
}
