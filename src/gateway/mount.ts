import { type Response, Router } from 'express';

import type { App } from '../app.ts';
import { sourceAt } from '../auth/oauth/source.ts';
import { onPresentFacts } from '../auth/token/present.ts';
import { ok } from '../core/envelope.ts';
import { AppError } from '../core/errors.ts';
import type { Route } from '../route.ts';
import type { Identify } from './middleware/authenticate.ts';
import { admission, admitting, callerOf } from './middleware/authorize.ts';
import { cookiesOf } from './middleware/cookies.ts';
import { rawBody } from './middleware/raw-body.ts';
import { anonymous } from './public-routes.ts';

/**
 * A center's endpoint table as an Express router; throws for a public route that is not on the list.
 * `identify` runs before authorization: the gateway's login check; a center has none.
 */
export function mount(
  app: App,
  center: string,
  routes: readonly Route[],
  identify?: Identify,
): Router {
  const router = Router();
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const { method, path, needs, code, run, csv } = route;
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
    if (needs === 'public') {
      const caller = anonymous(center, path);
      router[method](path, async (req, res) => {
        const known = { ...caller, source: sourceAt(res) };
        res.json(ok(await run(app, known, inputOf(req), cookiesOf(req, res)), code));
      });
      continue;
    }
    const admit = admission(app, center, route, identify);
    router[method](path, admitting(admit), ...rawBody(route), async (req, res) => {
      const again = () => admit(req, res);
      const data = await onPresentFacts(app, callerOf(res), again, (caller) =>
        run(app, caller, inputOf(req), cookiesOf(req, res)),
      );
      if (csv === 'answer' && typeof data === 'string') sendTable(res, path, data);
      else res.json(ok(data, code));
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

function sendTable(res: Response, path: string, table: string): void {
  res
    .type('text/csv')
    .attachment(`${path.slice(1).replaceAll('/', '-')}.csv`)
    .send(table);
}

type Input = { body?: unknown; query: unknown };

/** Query parameters override fields of an object body; a list stays a list. */
function inputOf({ body, query }: Input): unknown {
  if (Array.isArray(body)) return body;
  if (typeof body === 'string') return { ...(typeof query === 'object' ? query : {}), csv: body };
  return { ...(typeof body === 'object' ? body : {}), ...(typeof query === 'object' ? query : {}) };
}
