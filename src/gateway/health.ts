import { Router } from 'express';

import type { App } from '../app.ts';
import { limited } from '../core/limited.ts';

const ANSWER_MS = 2_000;

type Dependency = {
  name: string;
  /** Missing parts by name; a dependency that fails or is silent for 2 s is missing itself. */
  missing(): Promise<readonly string[]> | readonly string[];
};

/**
 * `/healthz`, `/livez`: the process answers. `/readyz`: it can work; `waitingFor` lists what is missing: a
 * writable database, a reachable broker, a queue without its consumer, an unregistered driver of this
 * process.
 */
export function health(
  { clock, log, bus, db }: Pick<App, 'clock' | 'log' | 'bus'> & Partial<Pick<App, 'db'>>,
  unregistered: () => string[],
): Router {
  const dependencies: Dependency[] = [
    { name: 'message bus', missing: () => bus.missing() },
    { name: 'drivers', missing: unregistered },
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
      res.status(isReady ? 200 : 503).json({
        status: isReady ? 'ready' : 'not ready',
        ...(db ? { database: db.engine } : {}),
        waitingFor: missing,
      });
    });
}
