import { PGlite } from '@electric-sql/pglite';

const settings = {
  fsync: 'on',
  // Emscripten's fdatasync is a stub, only fsync reaches our file system.
  wal_sync_method: 'fsync',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // As quick as 32 MB, and 20 MB less: the system's cache holds the same pages.
  shared_buffers: '16MB',
  // Only our own maintenance checkpoints: keep few log files for reuse.
  min_wal_size: '32MB',
  max_wal_size: '64MB',
};

/** PGlite's start parameters without `-F`, which switches fsync off, and with durable settings. */
export const startParameters: readonly string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
