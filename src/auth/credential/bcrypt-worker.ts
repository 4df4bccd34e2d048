import { parentPort } from 'node:worker_threads';

import { compareSync, hashSync } from 'bcryptjs';
import { z } from 'zod';

// bcryptjs computes in JavaScript: half a second at cost 12, so it runs on a thread of its own.
const Job = z.discriminatedUnion('kind', [
  z.object({ id: z.number(), kind: z.literal('hash'), plain: z.string(), cost: z.number() }),
  z.object({ id: z.number(), kind: z.literal('verify'), plain: z.string(), hash: z.string() }),
]);

parentPort?.on('message', (message: unknown) => {
  const job = Job.parse(message);
  const result =
    job.kind === 'hash' ? hashSync(job.plain, job.cost) : compareSync(job.plain, job.hash);
  parentPort?.postMessage({ id: job.id, result }, []);
});
