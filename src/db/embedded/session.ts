import type { PGlite } from '@electric-sql/pglite';

import type { Clock } from '../../kernel/clock.ts';
import type { DurableFs } from './durable-fs.ts';
import { query, rowsOf, watchAnswer } from './wire.ts';

const PIECE_BYTES = 1024 * 1024;
/** The first answer after this long leaves with those before it: their callers wait with timers of their own. */
const PIECE_MS = 100;

type Rows = (string | null)[][];

/** The engine is in an unknown state and must not be used any more. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken';
}

/** The one PostgreSQL session of the engine, driven by wire protocol bytes (worker thread). */
export function createSession(database: PGlite, files: DurableFs, clock: Pick<Clock, 'elapsed'>) {
  let idle = true;

  /**
   * Executes complete frontend messages; emits the answer in pieces of about 1 MB or, between two answers, 100 ms, and
   * resolves with the last piece. Throws EngineBroken when a sync failed or fewer than `answers` ReadyForQuery came back.
   */
  async function exec(
    bytes: Uint8Array,
    answers: number,
    emit: (bytes: Uint8Array<ArrayBuffer>) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const watch = watchAnswer();
    let pieces: Uint8Array[] = [];
    let held = 0;
    let since = clock.elapsed();
    const gathered = (): Uint8Array<ArrayBuffer> => {
      const whole = new Uint8Array(held);
      let at = 0;
      for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      held = 0;
      return whole;
    };
    const execute = (): Promise<unknown> =>
      database.execProtocolRawStream(bytes, {
        syncToFs: false, // a no-op for NodeFS; fsync makes commits durable
        onRawData(data) {
          const copy = data.slice(); // a view into the engine's memory, which changes
          watch.feed(copy);
          pieces.push(copy);
          held += copy.length;
          if (held < PIECE_BYTES && clock.elapsed() - since < PIECE_MS) return;
          files.settle(); // a commit before this piece may still wait for its sync
          emit(gathered());
          since = clock.elapsed();
        },
      });
    await (answers > 1 ? files.together(execute) : execute());
    if (files.failure !== undefined) {
      throw new EngineBroken('The disk refused to sync; the embedded database stops', {
        cause: files.failure,
      });
    }
    if (watch.ready() < answers)
      throw new EngineBroken('The embedded database ended within a statement');
    idle = answers > 0 && watch.status() === 'I';
    return gathered();
  }

  async function run(sql: string): Promise<Rows> {
    const pieces: Uint8Array[] = [];
    const last = await exec(query(sql), 1, (bytes) => pieces.push(bytes));
    return rowsOf(Buffer.concat([...pieces, last]));
  }

  /** Runs statements as the engine's superuser and puts the role back; only between transactions. */
  async function privileged(statements: readonly string[]): Promise<Rows[]> {
    const [[user = null, role = null] = []] = await run(
      `select quote_ident(session_user), quote_ident(nullif(current_setting('role'), 'none'))`,
    );
    await run('reset session authorization');
    await run('reset role');
    try {
      const results: Rows[] = [];
      for (const statement of statements) results.push(await run(statement));
      return results;
    } finally {
      await run(`set session authorization ${user}`);
      if (role !== null) await run(`set role ${role}`);
    }
  }

  return {
    exec,
    privileged,
    /** Whether no transaction is open and no extended query is incomplete. */
    idle: () => idle,
    /** Throws when a commit does not reach the disk. */
    async proveDurable(): Promise<void> {
      const before = files.walSyncs;
      await run(`select pg_logical_emit_message(true, 'embedded', 'self-check')`);
      if (files.walSyncs === before) {
        throw new Error(
          'A commit did not reach the disk: the embedded database is not durable here',
        );
      }
    },
    /** Parameters that a server reports at the start of a connection. */
    async parameters(): Promise<Record<string, string>> {
      const rows = await run(
        `select name, setting from pg_settings where name in ('server_version', 'server_encoding',
          'client_encoding', 'DateStyle', 'TimeZone', 'IntervalStyle', 'integer_datetimes',
          'standard_conforming_strings') order by name`,
      );
      return Object.fromEntries(rows.map(([name, setting]) => [name ?? '', setting ?? '']));
    },
    async shutDown(): Promise<void> {
      if (!idle) await run('rollback');
      await privileged(['checkpoint']);
    },
  };
}
