import { type Request, type Response, Router } from 'express';

import { sessionCookie } from '../auth/login/session.ts';
import { ASSETS, pageOf, POLICY, PUSH_WORKER, site } from '../console/site.ts';
import type { App } from '../kernel/app/app.ts';
import { NotFound } from '../kernel/errors.ts';
import { cookieOf } from './middleware/cookies.ts';

/** `/console` and all below it: the console's one document, and its files, which never change under their names. */
export function consolePages(app: App): Router {
  const cookie = sessionCookie(app.config);
  const page = async (req: Request, res: Response): Promise<void> => {
    const text = pageOf(await site(), cookieOf(req, cookie) !== null);
    res.set('content-security-policy', POLICY).type('html').send(text);
  };
  return Router({ caseSensitive: true })
    .get(`${ASSETS}/:name`, async (req, res) => {
      const file = (await site()).files.get(req.params.name);
      if (!file) throw new NotFound('This file');
      const isSmall = req.acceptsEncodings('gzip') === 'gzip';
      if (isSmall) res.set('content-encoding', 'gzip');
      res
        .set({
          'content-type': file.type,
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
        })
        .send(isSmall ? file.gzip : file.plain);
    })
    .get(PUSH_WORKER, async (_req, res) => {
      const { files, worker } = await site();
      const file = files.get(worker);
      if (!file) throw new NotFound('This file');
      res
        .set({
          'content-type': file.type,
          // Of the pages, which are beside it and above.
          'service-worker-allowed': '/console',
          'cache-control': 'no-cache',
        })
        .send(file.plain);
    })
    .get(['/console', '/console/*page'], page);
}
