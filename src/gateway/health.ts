import { Router } from 'express';

import type { App } from '../app.ts';

const PING_TIMEOUT_MS = 2_000;

/**
 * `/healthz`: the process answers. `/readyz`: it can work, its database included, and the drivers in
 * this process are registered; `waitingFor` names those that are not.
 */
export function health(app: App, waitingFor: () => string[]): Router {
  return Router()
    .get('/healthz', (_req, res) => {
      res.json({ status: 'up' });
    })
    .get('/readyz', async (_req, res) => {
      const late = Promise.withResolvers<never>();
      const cancel = app.clock.after(PING_TIMEOUT_MS, () => late.reject(new Error('timeout')));
      try {
        await Promise.race([app.db.ping(), late.promise]);
        const missing = waitingFor();
        const status = missing.length === 0 ? 'ready' : 'not ready';
        res
          .status(missing.length === 0 ? 200 : 503)
          .json({ status, database: app.db.engine, waitingFor: missing });
      } catch {
        res.status(503).json({ status: 'not ready', database: app.db.engine });
      } finally {
        cancel();
      }
    });
}
