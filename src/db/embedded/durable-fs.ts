import fs from 'node:fs';
import path from 'node:path';

import { NodeFS } from '@electric-sql/pglite/nodefs';

type Stream = { nfd?: number; path?: string; node: { mode: number } };
type Operations = Record<string, (...args: never[]) => unknown>;
type Operated = { stream_ops: Operations; node_ops: Operations };

const TYPE_MASK = 0o170000;
const DIRECTORY = 0o040000;
const EIO = 29; // WASI's number: what fd_sync has to return

/** What changes files that are there, besides writes: none of it may reach the disk ahead of the log. */
const CHANGES = {
  stream_ops: ['setattr'],
  node_ops: ['setattr', 'rename', 'unlink', 'rmdir'],
} as const;

function areOperations(value: unknown): value is Operated {
  return (
    typeof value === 'object' && value !== null && 'stream_ops' in value && 'node_ops' in value
  );
}

const isOfLog = ({ path: name }: Stream): boolean => name?.includes('/pg_wal/') === true;

/** PGlite's file system made durable: as shipped its fsync is a silent no-op. */
export class DurableFs extends NodeFS {
  /** Completed syncs of write-ahead log files; the start-up self-check reads it. */
  walSyncs = 0;
  /** The first failed sync: after it nothing is written and no commit may be acknowledged any more. */
  failure: unknown;

  #whenMade: (() => void) | undefined;
  readonly #whenRefused: ((error: unknown) => void) | undefined;
  #isTogether = false;
  /** The log file that PostgreSQL asked to sync and `settle` has to sync. */
  #owed: Stream | undefined;

  /**
   * `whenMade` is called at most once, when the files of a new cluster are there and the engine has not begun;
   * `whenRefused` at a failed sync, in the middle of a statement. PGlite swallows what is thrown there, and goes
   * on with the next message: only the end of the thread stops it at once.
   */
  constructor(root: string, whenMade?: () => void, whenRefused?: (error: unknown) => void) {
    super(root);
    this.#whenMade = whenMade;
    this.#whenRefused = whenRefused;
  }

  /** PGlite calls it after initdb, before it opens what that made, and then after queries of its own. */
  override async syncToFs(): Promise<void> {
    this.#whenMade?.();
    this.#whenMade = undefined;
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const hook: NonNullable<typeof emscriptenOpts.preRun>[number] = (module) => {
      const nodeFs: unknown = module.NODEFS;
      if (!areOperations(nodeFs)) throw new Error('PGlite no longer has NODEFS.stream_ops');
      this.#watch(nodeFs);
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), hook] },
    };
  }

  /**
   * Makes the syncs of the log that `work` asks for as one, at its end: what it answers is durable when this has
   * resolved, or a piece of it after `settle`. PostgreSQL takes the log for synced before it is, and changes other
   * files on that ground: before each such change the sync is made. Look at `failure` then.
   */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.#isTogether = true;
    try {
      return await work();
    } finally {
      this.#isTogether = false;
      this.#pay();
    }
  }

  /** Makes the sync that is owed, if any; throws when the disk refuses it, and ever after. */
  settle(): void {
    this.#pay();
    if (this.failure !== undefined) throw this.failure;
  }

  #pay(): void {
    const stream = this.#owed;
    this.#owed = undefined;
    if (stream) this.#sync(stream);
  }

  #watch(all: Operated): void {
    const { write, close } = all.stream_ops;
    if (!write || !close) throw new Error('PGlite no longer has NODEFS.stream_ops.write and close');
    all.stream_ops['fsync'] = (stream: Stream) => this.#asked(stream);
    all.stream_ops['close'] = (stream: Stream) => {
      if (stream.nfd === this.#owed?.nfd) this.settle();
      return Reflect.apply(close, all.stream_ops, [stream]);
    };
    all.stream_ops['write'] = (stream: Stream, ...rest: never[]) => {
      if (this.failure !== undefined || !isOfLog(stream)) this.settle();
      return Reflect.apply(write, all.stream_ops, [stream, ...rest]);
    };
    for (const kind of ['stream_ops', 'node_ops'] as const)
      for (const name of CHANGES[kind]) {
        const change = all[kind][name];
        if (!change) throw new Error(`PGlite no longer has NODEFS.${kind}.${name}`);
        all[kind][name] = (...args) => {
          this.settle();
          return Reflect.apply(change, all[kind], args);
        };
      }
  }

  #asked(stream: Stream): number {
    if (stream.nfd === undefined) return 0; // a device
    const isSame = this.#owed?.nfd === stream.nfd;
    if (!isSame) this.settle();
    if (!this.#isTogether || !isOfLog(stream)) return this.#sync(stream);
    this.#owed = stream;
    return 0;
  }

  #sync(stream: Stream): number {
    const { nfd, node } = stream;
    if (nfd === undefined) return 0;
    try {
      // fdatasync of a directory may leave out entries that did not change its size (ext4).
      if ((node.mode & TYPE_MASK) === DIRECTORY) fs.fsyncSync(nfd);
      else fs.fdatasyncSync(nfd);
    } catch (error) {
      this.failure ??= error;
      this.#whenRefused?.(error);
      return EIO;
    }
    if (isOfLog(stream)) this.walSyncs += 1;
    return 0;
  }
}

function syncPath(target: string): void {
  const fd = fs.openSync(target, 'r');
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    // Windows cannot sync a directory, nor a file opened for reading.
    if (process.platform !== 'win32') throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** Syncs every file and directory below `root`, and the entry of `root` itself. */
export function syncTree(root: string): void {
  for (const entry of fs.readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(path.join(entry.parentPath, entry.name));
  }
  syncPath(root);
  syncPath(path.dirname(root));
}
