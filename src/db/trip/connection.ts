import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { parameterOf } from './parameter.ts';
import type { Answer, Statement } from './trip.ts';

/** Sends statements together; one answer for each. */
type Send = (statements: readonly Statement[]) => Promise<readonly Answer[]>;

const LATE = 'a query was asked after the end of its transaction, or of its round trip';

type Asked = { statement: Statement; end: PromiseWithResolvers<Answer> };

/**
 * A connection whose queries wait until the microtasks are done and then travel together: what functions ask
 * side by side (`Promise.all`) is one round trip.
 */
export class TripConnection implements DatabaseConnection {
  readonly #send: Send;
  readonly #isOnce: boolean;
  #first: readonly Statement[] = [];
  #onBegun = (): void => {};
  readonly #asked: Asked[] = [];
  #isClosed = false;

  /** `once`: all queries travel together; one that is asked later is refused. */
  constructor(send: Send, { once = false } = {}) {
    this.#send = send;
    this.#isOnce = once;
  }

  /**
   * Refuses further queries and those that have not left: they would run outside of the transaction, or inside
   * of the next one on the same connection.
   */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#asked.splice(0)) end.reject(new Error(LATE));
  }

  /** Begins a transaction with its first query: `first` travels before that one, in its trip. */
  begin(first: readonly Statement[], onBegun: () => void): void {
    this.#first = first;
    this.#onBegun = onBegun;
  }

  /** Throws when the server rolled back: after a failed statement, even if its error was caught. */
  async commit(): Promise<void> {
    if (this.#hasNotBegun()) return;
    const [answer] = await this.#send([{ sql: 'commit', parameters: [] }]);
    if (answer?.command !== 'COMMIT') throw new Error('the transaction was not committed');
  }

  /** Never rejects. */
  async rollback(): Promise<void> {
    if (this.#hasNotBegun()) return;
    await this.#send([{ sql: 'rollback', parameters: [] }]).catch(() => this.doubt());
  }

  /** Its session could not roll back: whatever that is in, nothing else may follow. */
  protected async doubt(): Promise<void> {
    // Without a session of its own there is nothing to give back.
  }

  #hasNotBegun(): boolean {
    const { length } = this.#first;
    this.#first = [];
    return length > 0;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isClosed) throw new Error(LATE);
    // Here, not when the trip is written: a value without a text form fails this query alone.
    const statement = { sql, parameters: parameters.map(parameterOf) };
    // A tick runs when the microtasks are done: by then everything that is asked side by side was asked.
    if (this.#asked.length === 0) process.nextTick(() => void this.#leave());
    const end = Promise.withResolvers<Answer>();
    this.#asked.push({ statement, end });
    const { rows, command, count } = await end.promise;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kysely's contract: only the query has their type
    const result = { rows: rows as R[] };
    return command === 'SELECT' ? result : { ...result, numAffectedRows: count };
  }

  streamQuery(): never {
    throw new Error('answers are not streamed');
  }

  /** Never rejects: each query gets the error. */
  async #leave(): Promise<void> {
    const first = this.#first;
    const asked = this.#asked.splice(0);
    if (asked.length === 0) return;
    this.#first = [];
    if (this.#isOnce) this.close();
    try {
      const all = await this.#send([...first, ...asked.map(({ statement }) => statement)]);
      if (first.length > 0) this.#onBegun();
      for (const [at, answer] of all.slice(first.length).entries()) asked[at]?.end.resolve(answer);
    } catch (error) {
      for (const { end } of asked) end.reject(error);
    }
  }
}
