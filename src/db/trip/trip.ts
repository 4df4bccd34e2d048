import pg from 'pg';
import type { Connection, Submittable } from 'pg';

import type { Parameter } from './parameter.ts';
import { columnsOf, type Described, type Prepared, PreparedStatements } from './prepared.ts';

/** A statement as Kysely compiles it; parameters are numbered from $1. */
export type Statement = { readonly sql: string; readonly parameters: readonly Parameter[] };

export type Row = Record<string, unknown>;

/** Rows of a statement, its command tag (`SELECT`, `COMMIT`, …) and how many rows it touched. */
export type Answer = { rows: Row[]; command: string; count: bigint };

/** The table of a prepared statement changed; the server asks for a new one (PostgreSQL 0A000). */
const STALE_PLAN = '0A000';

/** SQLSTATEs after which the server ends the session: connection lost (08), ended (57P), too idle (25P). */
const ENDED = /^(?:08|57P|25P0[345])/;

/**
 * Whether a statement failed and the session goes on. After anything else it has ended, or is still at it
 * (`query_timeout`) and its answer would belong to the next transaction.
 */
export const isOfStatement = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !ENDED.test(error.code ?? '');

const preparedOn = new WeakMap<Connection, PreparedStatements>();

/**
 * Statements that travel in one write and are answered together, as a query object for `pg.Client.query`.
 * Outside a transaction they are one implicit transaction: between two Syncs the server begins and commits by
 * itself, and after an error it skips and undoes all of them (PostgreSQL manual, 54.2.3).
 */
export class Trip implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #prepared: Prepared[] = [];
  readonly #new = new Set<string>();
  readonly #answers: Answer[] = [];
  readonly #end = Promise.withResolvers<Answer[]>();
  #rows: Row[] = [];
  #isWritten = false;
  #next: { trip: Trip; ask(trip: Trip): void } | undefined;

  /** One answer for each statement, in order; rejects with the server's error. */
  readonly answers: Promise<Answer[]> = this.#end.promise;
  /** Called at the end: `pg` wraps it to end its timer (`query_timeout`). */
  callback = (): void => {};

  constructor(statements: readonly Statement[]) {
    this.#statements = statements;
    // A trip that could not be written has no reader of its answers.
    this.answers.catch(() => {});
  }

  /**
   * Lets another trip follow: it is written with this one if all its statements are known to the server, and `ask`
   * hands it to the connection when this one has ended.
   */
  precede(trip: Trip, ask: (trip: Trip) => void): void {
    this.#next = { trip, ask };
  }

  submit(connection: Connection): void {
    if (this.#isWritten) return;
    const all = preparedOn.get(connection) ?? new PreparedStatements();
    preparedOn.set(connection, all);
    connection.stream.cork();
    try {
      this.#write(connection, all);
      let next = this.#next?.trip;
      while (next && next.#isKnown(all)) {
        next.#write(connection, all);
        next = next.#next?.trip;
      }
    } catch (error) {
      // Half a trip was written: nothing else may follow it on this connection.
      connection.stream.destroy();
      throw error;
    } finally {
      connection.stream.uncork();
    }
  }

  /** What a trip ahead of it parses may not come to be: an error there skips it. */
  #isKnown(all: PreparedStatements): boolean {
    return this.#statements.every(({ sql }) => all.isAnswered(sql));
  }

  #write(connection: Connection, all: PreparedStatements): void {
    this.#isWritten = true;
    // First of all: after an error the server skips the rest of a trip, and would keep them for good.
    for (const name of all.takeUnused()) connection.close({ type: 'S', name }, true);
    for (const { sql, parameters } of this.#statements) {
      const { statement, isNew } = all.of(sql, parameters.length);
      this.#prepared.push(statement);
      if (isNew) {
        this.#new.add(sql);
        connection.parse({ name: statement.name, text: sql, types: [] }, true);
      }
      connection.bind({ statement: statement.name, values: [...parameters] }, true);
      if (!statement.columns) connection.describe({ type: 'P', name: '' }, true);
      connection.execute(null, true);
    }
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Described }): void {
    const prepared = this.#prepared[this.#answers.length];
    if (prepared) prepared.columns = columnsOf(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Row = {};
    const columns = this.#prepared[this.#answers.length]?.columns ?? [];
    for (const [at, { name, parse }] of columns.entries()) {
      const value = fields[at] ?? null;
      row[name] = value === null ? null : parse(value);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const [command = ''] = text.split(' ', 1);
    this.#finish(command, BigInt(/\d+$/.exec(text)?.[0] ?? 0));
  }

  handleEmptyQuery(): void {
    this.#finish('', 0n);
  }

  handleError(error: Error, connection: Connection): void {
    const all = preparedOn.get(connection);
    const failed = this.#statements[this.#answers.length]?.sql;
    // The server skips what follows an error: whether a new statement was parsed is not known.
    for (const sql of this.#new) all?.forget(sql);
    if (failed !== undefined && 'code' in error && error.code === STALE_PLAN) all?.forget(failed);
    this.#end.reject(error);
    this.callback();
    const next = this.#next;
    this.#next = undefined;
    // A query that failed hears of no ReadyForQuery; `pg` keeps the next one in its queue until that comes.
    if (isOfStatement(error)) next?.ask(next.trip);
    else next?.trip.abandon(error);
  }

  /** Rejects this trip and those after it: no answer comes any more. Whether the server runs them is not known. */
  abandon(error: unknown): void {
    this.#end.reject(error);
    this.callback();
    const next = this.#next;
    this.#next = undefined;
    next?.trip.abandon(error);
  }

  handleReadyForQuery(): void {
    this.callback();
    this.#end.resolve(this.#answers);
    this.#next?.ask(this.#next.trip);
  }

  #finish(command: string, count: bigint): void {
    const prepared = this.#prepared[this.#answers.length];
    // A statement without columns is not described again.
    if (prepared) prepared.columns ??= [];
    this.#answers.push({ rows: this.#rows, command, count });
    this.#rows = [];
  }
}
