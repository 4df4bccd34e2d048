import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type Row, row } from '../row.ts';

const SERVER = fileURLToPath(new URL('./listen-server.ts', import.meta.url));

/** Heap of the server for one stream of `subscriptions/listen`, measured in a process of its own. */
export async function listenHeap(): Promise<Row> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', SERVER]);
  return row('mcp', 'listen-heap-kb', 'kB', Number(stdout), null, '<= 20');
}
