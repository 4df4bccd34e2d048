import fs from 'node:fs';
import path from 'node:path';

import { syncTree } from './durable-fs.ts';

/**
 * Where the engine's files live below `dataDir`. A first start leaves a mark until everything is on
 * disk: a start that was cut short has no data of anybody yet, so its files are made anew.
 */
export function prepareDirectory(dataDir: string): { root: string; finish: () => void } {
  const root = path.join(dataDir, 'pg');
  const mark = path.join(dataDir, 'pg.incomplete');
  if (fs.existsSync(mark)) fs.rmSync(root, { recursive: true, force: true });
  const first = !fs.existsSync(path.join(root, 'PG_VERSION'));
  if (first) fs.writeFileSync(mark, '');
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  return {
    root,
    finish() {
      if (!first) return;
      syncTree(root);
      fs.rmSync(mark);
    },
  };
}
