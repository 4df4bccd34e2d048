import { z } from 'zod';

import { freshPrefix, removeBus } from '../../support/neighbours/rabbitmq.ts';
import { freshDatabases } from '../database.ts';
import { preparedEngines } from '../engine/prepared.ts';
import { ask, freshDirectory, next, start, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { olderTree } from '../start/older.ts';
import { Figures } from './question.ts';
import { sizes } from './size.ts';

const OURS = new URL('../../../', import.meta.url);
const PLATFORM = new URL('./platform.ts', import.meta.url);
const BARE = new URL('./bare.ts', import.meta.url);
/** A full batch of a driver, and the points of one device read at once. */
const SIZES = { 5_000: 6, 40: 150 };
const METRIC = { embedded: 'ingest-embedded', postgres: 'ingest-memory-bus' };

/** Values from the bus to the database, beside the statements alone and, with `BENCH_BESIDE`, an older revision. */
export async function ingest(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const { BENCH_BESIDE: revision, AMQP_URL: broker } = process.env;
  const prefix = freshPrefix();
  const older = revision ? await olderTree(revision) : null;
  const rows: Row[] = [];
  for (const { name, bare, plant } of await preparedEngines(databases)) {
    const fresh = async (): Promise<Record<string, string>> => ({
      SVC_DATA_DIR: await freshDirectory(),
      ...(name === 'postgres' && databases && { DATABASE_URL: await databases.make() }),
    });
    const children = {
      ours: start(PLATFORM, { args: [OURS.href], env: await fresh() }),
      ...(older && { older: start(PLATFORM, { args: [older.href], env: await fresh() }) }),
      ...(name === 'postgres' &&
        broker && {
          rabbitmq: start(PLATFORM, {
            args: [OURS.href],
            env: { ...(await fresh()), AMQP_URL: broker, SVC_BUS_PREFIX: prefix },
          }),
        }),
      bare: start(BARE, { args: [bare, plant.tenantId, plant.driverId] }),
    };
    const ready = Object.values(children).map((child) => next(child, z.literal('ready'), START_MS));
    await Promise.all(ready);
    for (const [given, batches] of Object.entries(SIZES)) {
      const size = Number(given);
      const contestants = Object.entries(children).map(([who, child]) => {
        return [who, () => ask(child, { batches, size }, Figures)] as const;
      });
      for (const [, store] of contestants) await store();
      const median = await rounds(Object.fromEntries(contestants));
      const figure = (
        metric: string,
        unit: string,
        what: string,
        beside: string,
        { goal = null, of = 'ours' }: { goal?: Row['goal']; of?: string } = {},
      ) =>
        row(
          'ingest',
          `${metric}-batch-${size}`,
          unit,
          median(of, what),
          median(beside, what),
          goal,
        );
      rows.push(figure(METRIC[name], 'values/s', 'rate', 'bare'));
      rows.push(figure(`cpu-per-value-${name}`, 'us', 'cpu', 'bare'));
      if (children.rabbitmq) {
        const of = 'rabbitmq';
        rows.push(figure('ingest-rabbitmq', 'values/s', 'rate', 'bare', { of }));
        rows.push(figure('cpu-per-value-rabbitmq', 'us', 'cpu', 'bare', { of }));
      }
      if (!older) continue;
      rows.push(
        figure(`${METRIC[name]}-vs-${revision}`, 'values/s', 'rate', 'older', { goal: '>= 1' }),
      );
      rows.push(figure(`cpu-per-value-${name}-vs-${revision}`, 'us', 'cpu', 'older'));
    }
    for (const child of Object.values(children)) await stop(child);
    if (children.rabbitmq && broker) await removeBus(broker, prefix);
  }
  return [...rows, ...(await sizes(databases))];
}

/** A first start of the platform and the onboarding of its points. */
const START_MS = 120_000;
