import { rmSync } from 'node:fs';
import { createServer, connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { Conflict, Unavailable } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/process/log.ts';
import type { Link } from './link.ts';

/** Longer than a transaction may take to end. */
const ANSWER_MS = 90_000;
const SOCKET = 'backup.sock';

/** What a backup needs to know of a database before its files are copied. */
type Begun = { migration: string };

/**
 * An online backup of PostgreSQL (manual, 25.3.3): between `begin` and `end` the files may be copied while they change,
 * all but the log first; with the log and the label that `end` answers, recovery makes them what they were at `end`.
 */
export type OnlineBackup = {
  /** Throws Conflict while another one is under way. */
  begin(): Promise<Begun>;
  /** Answers the text of `backup_label`. */
  end(): Promise<string>;
};

export type EngineBackup = OnlineBackup & { isUnderWay(): boolean };

export function backupOf(link: Pick<Link, 'maintain'>): EngineBackup {
  let isUnderWay = false;

  async function rowOf(statement: string): Promise<(string | null)[]> {
    const answers = await link.maintain([statement]);
    if (!answers) throw new Unavailable('The embedded database does not answer now');
    return answers[0]?.[0] ?? [];
  }

  return {
    isUnderWay: () => isUnderWay,
    async begin() {
      if (isUnderWay) throw new Conflict('Another backup is under way');
      isUnderWay = true;
      try {
        const [migration] = await rowOf('select max(name) from svc_migration');
        await rowOf(`select pg_backup_start('svc backup', true)::text`);
        return { migration: migration ?? '' };
      } catch (error) {
        isUnderWay = false;
        throw error;
      }
    },
    async end() {
      try {
        const [label] = await rowOf('select labelfile from pg_backup_stop(false)');
        return label ?? '';
      } finally {
        isUnderWay = false;
      }
    },
  };
}

const Request = z.object({ do: z.enum(['begin', 'end']) });
const Answer = z.union([
  z.object({ migration: z.string() }),
  z.object({ label: z.string() }),
  z.object({ refused: z.string() }),
]);

/**
 * Lets another process of this machine back the database up while it runs: a socket in its folder, for who may read
 * that. A process that goes away ends its backup.
 */
export function offerBackup(
  dataDir: string,
  backup: OnlineBackup,
  log: Log,
): { stop(): Promise<void> } {
  const path = join(dataDir, SOCKET);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    let isMine = false;
    let last: Promise<unknown> = Promise.resolve();
    const answer = (given: z.input<typeof Answer>): void =>
      void (socket.writable && socket.write(`${JSON.stringify(given)}\n`));
    const doIt = async (line: string): Promise<void> => {
      const { data } = Request.safeParse(parsed(line));
      if (data?.do === 'begin') {
        const begun = await backup.begin();
        isMine = true;
        answer(begun);
      } else if (data?.do === 'end' && isMine) {
        isMine = false;
        answer({ label: await backup.end() });
      } else throw new Conflict('A backup begins and then ends');
    };
    const endMine = async (): Promise<void> => {
      await last;
      if (isMine)
        await backup.end().catch((error: unknown) => log.warn({ error }, 'a backup did not end'));
    };
    socket.on('error', (error) => log.debug({ error }, 'the connection of a backup was lost'));
    createInterface({ input: socket }).on('line', (line) => {
      last = last
        .then(() => doIt(line))
        .catch((error: unknown) =>
          answer({ refused: error instanceof Error ? error.message : String(error) }),
        );
    });
    socket.on('close', () => {
      open.delete(socket);
      void endMine();
    });
  });
  // The lock of the folder is ours: what is there is left over.
  rmSync(path, { force: true });
  server.on('error', (error) =>
    log.warn({ error }, 'svc backup cannot reach this process: stop it for a backup'),
  );
  server.listen(path).unref();
  return {
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** The backup that the process offers which has this folder; null where none listens. */
export async function reachBackup(
  dataDir: string,
): Promise<(OnlineBackup & { close(): void }) | null> {
  const socket = connectSocket(join(dataDir, SOCKET));
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!connected) return null;
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.on('error', () => {});
  async function ask(what: 'begin' | 'end'): Promise<z.output<typeof Answer>> {
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.write(`${JSON.stringify({ do: what })}\n`);
    const { value } = await lines.next();
    socket.setTimeout(0);
    const { data } = Answer.safeParse(parsed(String(value)));
    if (!data) throw new Unavailable('The running platform did not answer');
    if ('refused' in data) throw new Conflict(data.refused);
    return data;
  }
  return {
    async begin() {
      const answer = await ask('begin');
      return { migration: 'migration' in answer ? answer.migration : '' };
    },
    async end() {
      const answer = await ask('end');
      return 'label' in answer ? answer.label : '';
    },
    close: () => void socket.destroy(),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
