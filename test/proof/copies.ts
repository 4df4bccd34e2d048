import { removeBus } from '../support/neighbours/rabbitmq.ts';
import { CopiesBench } from '../support/runs/copies/run.ts';
import { onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const size = { reads: 1_000, writes: 500, killEveryMs: 20_000, gapMs: 350 };

/** Two copies of each driver on PostgreSQL and RabbitMQ, one killed and started again every 20 s. */
export const copies: Proof = async ({ print, only }) => {
  const amqpUrl = process.env['AMQP_URL'];
  if (!process.env['DATABASE_URL'] || !amqpUrl)
    return { failed: 1, report: ['DATABASE_URL and AMQP_URL are needed'] };
  const share = only === '' ? 1 : Number(only) / 100;
  const prefix = `svc_copies_${process.pid}`;
  const lines: string[] = [];
  let failed = 0;
  await onEngine('postgres', async (environment) => {
    const whole = { ...environment, AMQP_URL: amqpUrl, SVC_BUS_PREFIX: prefix };
    const bench = await CopiesBench.open(whole);
    try {
      const reads = Math.ceil(size.reads * share);
      const result = await bench.run({ ...size, reads, writes: Math.ceil(size.writes * share) });
      failed = result.wrong.length;
      lines.push(`${result.reads} reads, ${result.writes} writes, ${result.kills} kills`, '');
      for (const [end, count] of Object.entries(result.ends)) lines.push(`- ${end}: ${count}`);
      for (const wrong of result.wrong) lines.push(`- wrong: ${wrong}`);
    } finally {
      await bench.close();
      await removeBus(amqpUrl, prefix);
    }
  });
  for (const line of lines) print(line);
  return { failed, report: lines };
};
