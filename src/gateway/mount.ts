import { type RequestHandler, Router } from 'express';

import type { App } from '../app.ts';
import { ok } from '../core/envelope.ts';
import { AppError } from '../core/errors.ts';
import type { Route } from '../route.ts';
import { authorize, callerOf } from './middleware/authorize.ts';
import { anonymous } from './public-routes.ts';

/**
 * A center's endpoint table as an Express router; refuses a public row that is not on the list.
 * `identify` runs ahead of authorization: the gateway's login check, or nothing in a center.
 */
export function mount(
  app: App,
  center: string,
  routes: readonly Route[],
  identify: RequestHandler[],
): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const { method, path, needs, code, run } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
    if (needs === 'public') {
      const caller = anonymous(center, path);
      router[method](path, async (req, res) => {
        res.json(ok(await run(app, caller, inputOf(req)), code));
      });
      continue;
    }
    router[method](path, ...identify, authorize(app, center, needs), async (req, res) => {
      res.json(ok(await run(app, callerOf(res), inputOf(req)), code));
    });
  }
  for (const [path, allowed] of methods) {
    router.all(path, (_req, res) => {
      res.setHeader('allow', allowed.join(', '));
      throw new AppError(405, 'R405', `Only ${allowed.join(' and ')} here`);
    });
  }
  return router;
}

type Input = { body?: unknown; query: unknown };

/** Query parameters lie over an object body; a body that is a list stays one. */
function inputOf({ body, query }: Input): unknown {
  if (Array.isArray(body)) return body;
  return { ...(typeof body === 'object' ? body : {}), ...(typeof query === 'object' ? query : {}) };
}
