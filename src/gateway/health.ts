import { Router } from 'express';
import { z } from 'zod';

import type { App } from '../kernel/app/app.ts';
import { limited } from '../kernel/clock.ts';

const ANSWER_MS = 2_000;

export const Alive = z.object({ status: z.literal('up') }).meta({ id: 'Alive' });

export const Ready = z
  .object({
    status: z.enum(['ready', 'not ready']),
    database: z.enum(['embedded', 'postgres']).optional().describe('Its engine'),
    waitingFor: z.array(z.string()).describe('What is missing, by name'),
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
 * `/healthz`, `/livez`: the process answers. `/readyz`: it can work; `waitingFor` lists what is missing: a
 * writable database, a broker that confirms messages, a queue without its consumer, an unregistered driver of this
 * process, and what else it `needs`.
 */
export function health(
  {
    clock,
    log,
    bus,
    db,
    config,
  }: Pick<App, 'clock' | 'log' | 'bus' | 'config'> & Partial<Pick<App, 'db'>>,
  unregistered: () => string[],
  needs: readonly Dependency[] = [],
  warnings: () => readonly string[] = () => [],
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
  return Router()
    .get(['/healthz', '/livez'], (_req, res) => {
      res.json({ status: 'up' });
    })
    .get('/readyz', async (_req, res) => {
      const missing = (await Promise.all(dependencies.map(waitingFor))).flat();
      const isReady = missing.length === 0;
      const answer: Ready = {
        status: isReady ? 'ready' : 'not ready',
        ...(db ? { database: db.engine } : {}),
        waitingFor: missing,
        warnings: [...config.unsafe, ...warnings()],
      };
      res.status(isReady ? 200 : 503).json(answer);
    });
}
