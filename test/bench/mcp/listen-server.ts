import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { onEngine } from '../../proof/on-engine.ts';
import { bearerFor } from '../../support/people/bearer.ts';
import { startWorld } from '../../support/world/app.ts';

/** The platform with 500 streams of another process: prints the kilobytes of heap of each. */
const CLIENT = fileURLToPath(new URL('./listen-client.ts', import.meta.url));
const PRINCIPALS = 10;
const STREAMS_OF_PRINCIPAL = 50;
const REST_MS = 2_000;

function heapKb(): number {
  for (let round = 0; round < 5; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_024;
}

await onEngine('embedded', async (environment) => {
  const world = await startWorld({ database: { environment, remove: async () => {} } });
  const tokens: string[] = [];
  while (tokens.length < PRINCIPALS)
    tokens.push(await bearerFor(world.admin, { scope: 'svc:read' }));
  const client = (streams: number) => {
    const words = [CLIENT, world.base, String(streams), ...tokens];
    return spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  };
  // The first ones load what all of them use.
  const warm = client(1);
  await once(warm.stdout, 'data');
  warm.kill();
  await sleep(REST_MS);
  const before = heapKb();
  const all = client(STREAMS_OF_PRINCIPAL);
  await once(all.stdout, 'data');
  await sleep(REST_MS);
  const each = (heapKb() - before) / (PRINCIPALS * STREAMS_OF_PRINCIPAL);
  all.kill();
  await world.stop();
  console.log(each);
});
