/**
 * Run by a process of its own: the text of the file on its standard input. The limits of a thread do not hold a hostile
 * file: one allocation beyond the heap ends the whole process, and buffers are not counted to the heap.
 */
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

import { MAX_HEAP_MB, MAX_READING_MS, MAX_RESIDENT_BYTES } from './limits.ts';

const WATCHED_EVERY_MS = 20;
const YOUNG_HEAP_MB = 16;

// The platform ends this process too, unless it has ended itself by then.
setTimeout(() => process.exit(1), 2 * MAX_READING_MS).unref();
setInterval(() => {
  if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) process.exit(1);
}, WATCHED_EVERY_MS).unref();

const [, , format, length] = process.argv;
const bytes = new Uint8Array(await buffer(process.stdin));
const thread = new Worker(new URL('./worker.ts', import.meta.url), {
  workerData: { bytes, length: Number(length), format },
  transferList: [bytes.buffer],
  resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
});
thread.on('error', () => process.exit(1));
thread.on('message', (read: unknown) => {
  process.stdout.write(JSON.stringify(read), () => process.exit(0));
});
