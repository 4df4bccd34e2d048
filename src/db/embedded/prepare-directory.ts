import fs from 'node:fs';
import path from 'node:path';

import { syncTree } from './durable-fs.ts';
import { storedCluster } from './stored-cluster.ts';

/**
 * Path of the engine's files below `dataDir`. A first start leaves a mark until everything is on disk:
 * files of an interrupted first start hold no data yet and are made anew. A new directory is empty, or has the files
 * that were kept of an earlier one; `made` is called once the engine has made them itself.
 */
export function prepareDirectory(dataDir: string): {
  root: string;
  made: () => void;
  finish: () => void;
} {
  const root = path.join(dataDir, 'pg');
  const mark = path.join(dataDir, 'pg.incomplete');
  if (fs.existsSync(mark)) fs.rmSync(root, { recursive: true, force: true });
  const first = !fs.existsSync(path.join(root, 'PG_VERSION'));
  if (first) fs.writeFileSync(mark, '');
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  // Our own lock guards the directory. A kill between making PostgreSQL's lock file and writing it leaves an empty
  // one, which PostgreSQL refuses ever after.
  fs.rmSync(path.join(root, 'postmaster.pid'), { force: true });
  const kept = first ? storedCluster() : undefined;
  const isCopied = kept?.copyTo(root) ?? false;
  return {
    root,
    made() {
      if (!isCopied) kept?.keep(root);
    },
    finish() {
      if (!first) return;
      syncTree(root);
      fs.rmSync(mark);
    },
  };
}
