import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { type Response, Router } from 'express';

import { restReader } from '../auth/agent/rest-reader.ts';
import { sourceAt } from '../auth/oauth/store/body.ts';
import { onPresentFacts } from '../auth/permission/present.ts';
import type { App } from '../kernel/app/app.ts';
import { Download, type Route } from '../kernel/app/route.ts';
import { ok } from '../kernel/envelope.ts';
import { AppError } from '../kernel/errors.ts';
import { calledFrom } from '../kernel/request/called-from.ts';
import type { Identify } from './middleware/authenticate.ts';
import { admission, admitting, callerOf, noted } from './middleware/authorize.ts';
import { isLarge, routeBody } from './middleware/body.ts';
import { cookiesOf } from './middleware/cookies.ts';
import { placesFor } from './middleware/places.ts';
import { noSecretInQuery } from './middleware/secret-query.ts';
import { anonymous } from './public-routes.ts';

/**
 * A center's endpoint table as an Express router; throws for a public route that is not on the list.
 * `identify` runs before authorization: the gateway's login check; a center has none. A body is read last.
 */
export function mount(
  app: App,
  center: string,
  routes: readonly Route[],
  identify?: Identify,
): Router {
  const router = Router();
  const downloads = placesFor('downloads');
  const uploads = placesFor('uploads');
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const { method, path, needs, code, run, csv, download } = route;
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
    const inBody = noSecretInQuery(route);
    if (needs === 'public') {
      const caller = anonymous(center, path);
      router[method](path, ...inBody, ...routeBody(app, route), async (req, res) => {
        const known = { ...caller, source: sourceAt(res) };
        const answer = calledFrom(known.source, () =>
          run(app, known, inputOf(req), cookiesOf(req, res)),
        );
        res.json(ok(await answer, code));
      });
      continue;
    }
    const admit = admission(app, center, route, identify);
    const door = `${method.toUpperCase()} /api/v3/${center}${path}`;
    const reader = restReader(app, door, route.output);
    const places = csv === 'stream' ? downloads : isLarge(route) ? uploads : [];
    const before = [admitting(admit), ...inBody, ...places, ...routeBody(app, route)];
    router[method](path, ...before, async (req, res) => {
      const again = () => admit(req, res);
      const done = calledFrom(sourceAt(res), () =>
        onPresentFacts(app, callerOf(res), again, (caller) =>
          reader.read(caller, () => run(app, caller, inputOf(req), cookiesOf(req, res))),
        ),
      );
      const data = await done.catch((error: unknown) => {
        throw noted(app, { req, res, route, caller: callerOf(res) }, error);
      });
      const caller = callerOf(res);
      if (csv === 'answer' && typeof data === 'string')
        asTable(res, path).send(await reader.table(caller, data));
      else if (csv === 'stream' && isPieces(data))
        await sendPieces(app, asTable(res, path), reader.pieces(caller, data));
      else if (download) sendFile(res, Download.parse(data));
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

const asTable = (res: Response, path: string): Response =>
  res.type('text/csv').attachment(`${path.slice(1).replaceAll('/', '-')}.csv`);

/** Bytes of users: saved under their name, and without a right if a browser opens them all the same. */
function sendFile(res: Response, { fileName, contentType, content }: Download): void {
  res
    .attachment(fileName)
    .type(contentType)
    .setHeader('content-security-policy', "default-src 'none'; sandbox");
  res.send(content);
}

const isPieces = (data: unknown): data is AsyncIterable<string> =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

/** As fast as the client reads. A failure cuts the answer, which its client sees: the end of the chunks is missing. */
async function sendPieces(app: App, res: Response, pieces: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces), res).catch((error: unknown) => {
    if (!isClosed(error)) app.log.warn({ error }, 'download cut');
  });
}

const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

type Input = { body?: unknown; query: unknown };

/** Query parameters override fields of an object body, except secrets; a list stays a list. */
function inputOf({ body, query }: Input): unknown {
  if (Array.isArray(body)) return body;
  if (typeof body === 'string') return { ...(typeof query === 'object' ? query : {}), csv: body };
  return { ...(typeof body === 'object' ? body : {}), ...(typeof query === 'object' ? query : {}) };
}
