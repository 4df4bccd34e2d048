import { Router } from 'express';
import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { limited } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';

const ANSWER_MS = 2_000;
/** The figures of one scrape are from one look. */
const KEPT_MS = 1_000;

export const Alive = z.object({ status: z.literal('up') }).meta({ id: 'Alive' });

export const Ready = z
  .object({
    status: z.enum(['ready', 'not ready']),
    database: z.enum(['embedded', 'postgres']).optional().describe('Its engine'),
    waitingFor: z.array(z.string()).describe('What is missing, by name'),
    degraded: z
      .array(z.string())
      .describe('What works and is worse than it should be now; it does not change the status'),
    warnings: z
      .array(z.string())
      .describe('What works and is not safe as it is set up; it does not change the status'),
  })
  .meta({ id: 'Ready' });
type Ready = z.output<typeof Ready>;

export type Dependency = {
  name: string;
  /** Missing parts by name; a dependency that fails or is silent for 2 s is missing itself. */
  missing(): Promise<readonly string[]> | readonly string[];
};

/**
 * What `/readyz` says beside the database and the bus: what else the process needs, what it warns of, and what works
 * and is worse than it should be.
 */
export type Watched = {
  needs?: readonly Dependency[];
  warnings?: () => readonly string[];
  degraded?: () => readonly string[] | Promise<readonly string[]>;
};

/**
 * `/healthz`, `/livez`: the process answers. `/readyz`: it can work; `waitingFor` lists what is missing: a
 * writable database, a broker that confirms messages, a queue without its consumer, an unregistered driver of this
 * process, and what else it `needs`.
 */
export function health(
  {
    clock,
    log,
    metrics,
    bus,
    db,
    config,
  }: Pick<App, 'clock' | 'log' | 'metrics' | 'bus' | 'config'> & Partial<Pick<App, 'db'>>,
  unregistered: () => string[],
  { needs = [], warnings = () => [], degraded = () => [] }: Watched = {},
): Router {
  const dependencies: Dependency[] = [
    { name: 'message bus', missing: () => bus.missing() },
    { name: 'drivers', missing: unregistered },
    ...needs,
  ];
  if (db) dependencies.unshift({ name: 'database', missing: () => db.ping().then(() => []) });
  const waitingFor = async ({ name, missing }: Dependency): Promise<readonly string[]> => {
    try {
      return (await limited(clock, ANSWER_MS, Promise.try(missing))) ?? [name];
    } catch (error) {
      log.debug({ error, name }, 'a dependency is not ready');
      return [name];
    }
  };
  const worse = async (): Promise<readonly string[]> => {
    const found = limited(clock, ANSWER_MS, Promise.try(degraded)).catch((error: unknown) =>
      log.debug({ error }, 'what is degraded could not be found out'),
    );
    return (await found) ?? [];
  };
  const look = async (): Promise<Ready> => {
    const [missing, isWorse] = await Promise.all([
      Promise.all(dependencies.map(waitingFor)),
      worse(),
    ]);
    return {
      status: missing.flat().length === 0 ? 'ready' : 'not ready',
      ...(db ? { database: db.engine } : {}),
      waitingFor: missing.flat(),
      degraded: [...isWorse],
      warnings: [...config.unsafe, ...warnings()],
    };
  };
  measure(metrics, recent(look, clock));
  return Router()
    .get(['/healthz', '/livez'], (_req, res) => {
      res.json({ status: 'up' });
    })
    .get('/readyz', async (_req, res) => {
      const answer = await look();
      res.status(answer.status === 'ready' ? 200 : 503).json(answer);
    });
}

/** The answer of `look`, kept for a second. */
function recent(look: () => Promise<Ready>, clock: App['clock']): () => Promise<Ready> {
  let kept: { at: number; answer: Promise<Ready> } | null = null;
  return () => {
    const at = clock.elapsed();
    if (kept === null || at - kept.at >= KEPT_MS) kept = { at, answer: look() };
    return kept.answer;
  };
}

function measure(metrics: Metrics, look: () => Promise<Ready>): void {
  metrics.gauge('svc_ready', async () => {
    const { status } = await look();
    return [{ labels: {}, value: status === 'ready' ? 1 : 0 }];
  });
  metrics.gauge('svc_waiting_for', async () => {
    const { waitingFor } = await look();
    return waitingFor.map((part) => ({ labels: { part }, value: 1 }));
  });
  metrics.gauge('svc_degraded', async () => {
    const { degraded } = await look();
    return [{ labels: {}, value: degraded.length }];
  });
}
