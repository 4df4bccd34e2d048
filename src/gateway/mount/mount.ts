import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { type Request, type RequestHandler, type Response, Router } from 'express';

import { countCall } from '../../auth/agent/call-rate.ts';
import { noteTried } from '../../auth/agent/hold.ts';
import { restReader } from '../../auth/agent/rest-reader.ts';
import { noteDenied } from '../../auth/audit/refusal.ts';
import { callerFromClaims, verifyPrincipal } from '../../auth/credential/trust.ts';
import { sourceAt } from '../../auth/oauth/store/body.ts';
import { demand } from '../../auth/permission/permission.ts';
import { isPresent, onPresentFacts } from '../../auth/permission/present.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { type FilePiece, Download, type Route } from '../../kernel/app/route.ts';
import { ok } from '../../kernel/envelope.ts';
import { AppError, Forbidden, WrongAudience } from '../../kernel/errors.ts';
import { calledFrom } from '../../kernel/request/called-from.ts';
import { callerOf, type Identify, placeOf } from '../middleware/authenticate.ts';
import { isLarge, routeBody } from '../middleware/body.ts';
import { cookiesOf } from '../middleware/cookies.ts';
import { missing } from '../middleware/missing.ts';
import { placesFor } from '../middleware/places.ts';
import { noSecretInQuery } from '../middleware/secret-query.ts';
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
    const { method, path, needs, code, run, csv, parquet, download } = route;
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
    const inBody = noSecretInQuery(route);
    if (needs === 'public') {
      const caller = anonymous(center, path);
      router[method](path, inBody, ...routeBody(app, route), async (req, res) => {
        const known = { ...caller, source: sourceAt(res) };
        const answer = calledFrom(known.source, () =>
          run(app, known, inputOf(req, route.signed), cookiesOf(req, res)),
        );
        res.json(ok(await answer, code));
      });
      continue;
    }
    const admit = admission(app, center, route, identify);
    const door = `${method.toUpperCase()} /api/v3/${center}${path}`;
    const reader = restReader(app, door, route.output);
    const places = csv === 'stream' || parquet ? downloads : isLarge(route) ? uploads : [];
    const before = [admitting(admit), inBody, ...places, ...routeBody(app, route)];
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
      else if (csv === 'stream' && isPieces<string>(data))
        await sendPieces(app, asTable(res, path), reader.pieces(caller, data));
      else if (parquet && isPieces<FilePiece>(data))
        await sendPieces(app, asParquet(res), reader.file(caller, data));
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

const asParquet = (res: Response): Response =>
  res.attachment('values.parquet').type('application/vnd.apache.parquet');

/** Bytes of users: saved under their name, and without a right if a browser opens them all the same. */
function sendFile(res: Response, { fileName, contentType, content }: Download): void {
  res
    .attachment(fileName)
    .type(contentType)
    .setHeader('content-security-policy', "default-src 'none'; sandbox");
  res.send(content);
}

const isPieces = <T>(data: unknown): data is AsyncIterable<T> =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

/** As fast as the client reads. A failure cuts the answer, which its client sees: the end of the chunks is missing. */
async function sendPieces(
  app: App,
  res: Response,
  pieces: AsyncIterable<string | Buffer>,
): Promise<void> {
  await pipeline(Readable.from(pieces), res).catch((error: unknown) => {
    if (!isClosed(error)) app.log.warn({ error }, 'download cut');
  });
}

const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

type Input = { body?: unknown; query: unknown };

/** Query parameters override fields of an object body, except secrets and what is signed; a list stays a list. */
function inputOf({ body, query }: Input, isSigned = false): unknown {
  if (isSigned && typeof body === 'object')
    return { ...(typeof query === 'object' ? query : {}), ...body };
  if (Array.isArray(body)) return body;
  if (typeof body === 'string') return { ...(typeof query === 'object' ? query : {}), csv: body };
  return { ...(typeof body === 'object' ? body : {}), ...(typeof query === 'object' ? query : {}) };
}

/** Identifies the caller of a request and checks that it may use a route. */
type Admission = (req: Request, res: Response) => Promise<Caller>;

/**
 * Takes the caller that `identify` finds, or, in a center without it, the principal that a gateway signed
 * (docs/specification/trust.md 4); checks the route's scope and permission. A refusal on facts from memory is
 * checked against the present ones first. Throws NotAuthenticated (401) or Forbidden (403).
 */
export const admission =
  (
    app: App,
    center: string,
    route: Pick<Route, 'needs' | 'scope'> & Guarded,
    identify?: Identify,
  ): Admission =>
  async (req, res) => {
    const identified = async (): Promise<Caller> => {
      const caller = await (identify ? identify(req, res) : vouchedCaller(app, req)).catch(
        (error: unknown) => {
          if (error instanceof WrongAudience && isForPeople(route))
            noteTried(app, error.holder, placeOf(req), sourceAt(res));
          throw error;
        },
      );
      if (!caller) throw missing();
      return caller;
    };
    const { needs, scope } = route;
    const admitted = (caller: Caller): Caller => {
      demandScope(caller, scope, res);
      if (needs !== 'authenticated') demand(caller, `svc-center-${center}:${needs}`);
      return caller;
    };
    const known = await identified();
    // Once a request, by the process that knows the credential.
    if (identify && res.locals['counted'] !== true) countCall(app, known);
    res.locals['counted'] = true;
    try {
      return admitted(known);
    } catch (error) {
      if (await isPresent(app, known)) throw noted(app, { req, res, route, caller: known }, error);
      const renewed = await identified();
      try {
        return admitted(renewed);
      } catch (again) {
        throw noted(app, { req, res, route, caller: renewed }, again);
      }
    }
  };

type Guarded = Partial<Pick<Route, 'risk' | 'scope'>>;

const isMore = ({ risk }: Guarded): boolean => risk !== undefined && risk.riskLevel !== 'LOW';

/** Whether only people may call it, for more than reading. */
const isForPeople = (route: Guarded): boolean => route.scope === 'interactive' && isMore(route);

type Denied = {
  req: Request;
  res: Response;
  route: Guarded;
  caller: Caller;
};

/** The error, after a denial of more than reading has its audit row: of a confirmation, a change, a deletion. */
function noted(app: App, { req, res, route, caller }: Denied, error: unknown): unknown {
  if (!(error instanceof Forbidden) || !isMore(route)) return error;
  const place = placeOf(req);
  const source = sourceAt(res);
  noteDenied(app, caller, error, {
    door: 'rest',
    source,
    resourceType: 'ROUTE',
    resourceName: place,
  });
  if (isForPeople(route) && caller.via !== 'login') noteTried(app, caller, place, source);
  return error;
}

/** The caller that a gateway in another process signed; null for an anonymous call. */
async function vouchedCaller(app: App, { headers }: Request): Promise<Caller | null> {
  const claims = verifyPrincipal(app, {
    principal: header(headers['x-auth-principal']),
    sign: header(headers['x-auth-sign']),
  });
  return claims && callerFromClaims(app, claims);
}

/** Middleware that admits the caller before the body is read. */
export const admitting =
  (admit: Admission): RequestHandler =>
  async (req, res, next) => {
    res.locals['caller'] = await admit(req, res);
    next();
  };

/** Throws Forbidden (403) for a token or key without the scope; logins are limited by permissions alone. */
function demandScope({ scopes, via }: Caller, scope: Route['scope'], res: Response): void {
  if (scopes === undefined && via !== 'oauth' && via !== 'key') return;
  if (scope === 'interactive') throw new Forbidden('This needs an interactive login');
  if (scopes?.includes(scope)) return;
  if (!res.headersSent)
    res.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
  throw new Forbidden(`The token lacks the scope ${scope}`);
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;
