import type pg from 'pg';

import { TripConnection } from './connection.ts';
import { Session } from './session.ts';
import type { SendSingle } from './single.ts';

/** Queries of one user of the pool. A connection is taken when the first trip leaves, and kept until `release`. */
export class PoolConnection extends TripConnection {
  /** Sends a trip that is a transaction of its own, on whatever connection is free. */
  readonly sendSingle: SendSingle;
  readonly #held: { session?: Promise<Session> };

  constructor(pool: pg.Pool, sendSingle: SendSingle) {
    const held: { session?: Promise<Session> } = {};
    const take = async (): Promise<Session> => new Session(await pool.connect());
    super(async (statements) => {
      held.session ??= take();
      return (await held.session).send(statements);
    });
    this.sendSingle = sendSingle;
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
