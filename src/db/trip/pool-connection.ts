import type pg from 'pg';

import { TripConnection } from './connection.ts';
import { Session } from './session.ts';
import type { SendSingle } from './single.ts';

/** Queries of one user of the pool. A connection is taken at the latest when the first trip leaves, and kept until `release`. */
export class PoolConnection extends TripConnection {
  /** Sends a trip that is a transaction of its own, on whatever connection is free. */
  readonly sendSingle: SendSingle;
  readonly #held: { session?: Promise<Session> };
  /** Takes its connection now: a transaction that waits for one must not hold statements meanwhile. */
  readonly take: () => Promise<Session>;

  constructor(pool: pg.Pool, sendSingle: SendSingle) {
    const held: { session?: Promise<Session> } = {};
    const connect = async (): Promise<Session> => new Session(await pool.connect());
    const take = (): Promise<Session> => (held.session ??= connect());
    super(async (statements) => (await take()).send(statements));
    this.sendSingle = sendSingle;
    this.take = take;
    this.#held = held;
  }

  async release(): Promise<void> {
    this.close();
    // One that could not be taken is not held.
    const session = await this.#held.session?.catch(() => undefined);
    session?.release();
  }

  protected override async doubt(): Promise<void> {
    const session = await this.#held.session?.catch(() => undefined);
    if (session) session.isBroken = true;
  }
}
