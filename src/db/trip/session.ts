import { channel } from 'node:diagnostics_channel';

import type pg from 'pg';

import { type Answer, isOfStatement, type Statement, Trip } from './trip.ts';

/**
 * Every trip when it is asked, or has got its connection, for those that count them: how many statements, their texts,
 * and the end.
 */
const trips = channel('svc:trip');

/** In the asynchronous context that asks for the trip. */
export function announce(statements: readonly Statement[], answers: Promise<unknown>): void {
  if (!trips.hasSubscribers) return;
  const texts = statements.map(({ sql }) => sql);
  trips.publish({ statements: statements.length, texts, answers });
}

/** A connection of the pool while it is held: its trips travel in the order in which they are sent. */
export class Session {
  /** Its state is not known: it must not be used again. */
  isBroken = false;
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** Rejects with the server's error. */
  async send(statements: readonly Statement[]): Promise<Answer[]> {
    const [answers = Promise.resolve([])] = this.sendAll([statements]);
    announce(statements, answers);
    return answers;
  }

  /**
   * Sends trips in one write, as far as the server knows their statements. Outside a transaction each is one of its
   * own: the error of one is not that of the next.
   */
  sendAll(all: readonly (readonly Statement[])[]): Promise<Answer[]>[] {
    const made = all.map((statements) => new Trip(statements));
    const ask = (trip: Trip): void => {
      try {
        if (this.isBroken) throw new Error('Connection terminated: a trip on it had no end');
        this.#client.query(trip);
      } catch (error) {
        trip.abandon(error);
      }
    };
    for (const [at, trip] of made.entries()) {
      const next = made[at + 1];
      if (next) trip.precede(next, ask);
    }
    const [first] = made;
    if (first) ask(first);
    return made.map(({ answers }) => this.#watch(answers));
  }

  /** Gives it back to the pool, which ends a broken one. */
  release(): void {
    this.#client.release(this.isBroken);
  }

  async #watch(answers: Promise<Answer[]>): Promise<Answer[]> {
    try {
      return await answers;
    } catch (error) {
      if (!isOfStatement(error)) this.isBroken = true;
      throw error;
    }
  }
}
