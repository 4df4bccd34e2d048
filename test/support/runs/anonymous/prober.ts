import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 10;
const LATE_MS = 10_000;

/** Asks this address on a connection of its own each time, until it gets a message; answers how long each took, in ms. */
async function probe(url: string): Promise<void> {
  const over = new AbortController();
  parentPort?.once('message', () => over.abort());
  const times: number[] = [];
  while (!over.signal.aborted) {
    const from = performance.now();
    const isAnswered = await new Promise<boolean>((resolve) => {
      get(url, { agent: false, timeout: LATE_MS }, (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode === 200));
      }).once('error', () => resolve(false));
    });
    times.push(isAnswered ? performance.now() - from : LATE_MS);
    await sleep(EVERY_MS);
  }
  parentPort?.postMessage(times);
}

await probe(String(workerData));
