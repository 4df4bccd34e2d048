import type pg from 'pg';

import { announce, Session } from './session.ts';
import type { Answer, Statement } from './trip.ts';

/** Sends a trip that is a transaction of its own; rejects with the server's error. */
export type SendSingle = (statements: readonly Statement[]) => Promise<readonly Answer[]>;

/** Each on the next connection that is free. */
const onAny =
  (pool: pg.Pool): SendSingle =>
  async (statements) => {
    const session = new Session(await pool.connect());
    try {
      return await session.send(statements);
    } finally {
      session.release();
    }
  };

/** Trips that travel together: what is answered may wait for the answer of the last. */
const MOST = 8;

type Waiting = {
  statements: readonly Statement[];
  end: PromiseWithResolvers<readonly Answer[]>;
};

/**
 * On the only connection: those that come while it is busy travel together when it is free, so that the embedded
 * engine wakes up and syncs once for all of them.
 */
function onOne(pool: pg.Pool): SendSingle {
  const waiting: Waiting[] = [];
  let isLeaving = false;

  async function leave(): Promise<void> {
    const first = waiting.length;
    let session: Session;
    try {
      session = new Session(await pool.connect());
    } catch (error) {
      // The pool has refused a connection to these; those that came since ask it anew.
      for (const { end } of waiting.splice(0, first)) end.reject(error);
      return;
    }
    const together = waiting.splice(0, MOST);
    try {
      const all = session.sendAll(together.map(({ statements }) => statements));
      for (const [at, { end }] of together.entries()) end.resolve(all[at] ?? []);
      await Promise.allSettled(all);
    } finally {
      session.release();
    }
  }

  async function leaveAll(): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    try {
      while (waiting.length > 0) await leave();
    } finally {
      isLeaving = false;
    }
  }

  return (statements) => {
    const end = Promise.withResolvers<readonly Answer[]>();
    announce(statements, end.promise);
    waiting.push({ statements, end });
    void leaveAll();
    return end.promise;
  };
}

export const singleTrips = (pool: pg.Pool): SendSingle =>
  pool.options.max === 1 ? onOne(pool) : onAny(pool);
