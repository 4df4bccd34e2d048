import fs from 'node:fs';
import path from 'node:path';

import { NodeFS } from '@electric-sql/pglite/nodefs';

type Stream = { nfd?: number; path?: string; node: { mode: number } };
type StreamOps = { fsync?: (stream: Stream) => number };

const TYPE_MASK = 0o170000;
const DIRECTORY = 0o040000;
const EIO = 29; // WASI's number: what fd_sync has to return

function hasStreamOps(value: unknown): value is { stream_ops: StreamOps } {
  return typeof value === 'object' && value !== null && 'stream_ops' in value;
}

/** PGlite's file system made durable: as shipped its fsync is a silent no-op. */
export class DurableFs extends NodeFS {
  /** Completed syncs of write-ahead log files; the start-up self-check reads it. */
  walSyncs = 0;
  /** The first failed sync: after it no commit may be acknowledged any more. */
  failure: unknown;

  #whenMade: (() => void) | undefined;

  /** `whenMade` is called at most once, when the files of a new cluster are there and the engine has not begun. */
  constructor(root: string, whenMade?: () => void) {
    super(root);
    this.#whenMade = whenMade;
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
      if (!hasStreamOps(nodeFs)) throw new Error('PGlite no longer has NODEFS.stream_ops');
      nodeFs.stream_ops.fsync = (stream) => this.#sync(stream);
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), hook] },
    };
  }

  #sync(stream: Stream): number {
    if (stream.nfd === undefined) return 0; // a device
    try {
      // fdatasync of a directory may leave out entries that did not change its size (ext4).
      if ((stream.node.mode & TYPE_MASK) === DIRECTORY) fs.fsyncSync(stream.nfd);
      else fs.fdatasyncSync(stream.nfd);
    } catch (error) {
      this.failure ??= error;
      return EIO;
    }
    if (stream.path?.includes('/pg_wal/')) this.walSyncs += 1;
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
