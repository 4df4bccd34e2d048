import type { Request, RequestHandler, Response } from 'express';

import { noteTried } from '../../auth/agent/hold.ts';
import { noteDenied } from '../../auth/audit/refusal.ts';
import { sourceAt } from '../../auth/oauth/store/body.ts';
import { demand } from '../../auth/permission/permission.ts';
import { isPresent } from '../../auth/permission/present.ts';
import { countCall } from '../../auth/token/call-rate.ts';
import { callerFromClaims, verifyPrincipal } from '../../auth/token/trust.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import type { Route } from '../../kernel/app/route.ts';
import { Forbidden, NotAuthenticated, WrongAudience } from '../../kernel/errors.ts';
import type { Identify } from './authenticate.ts';
import { missing } from './missing.ts';

/** Identifies the caller of a request and checks that it may use a route. */
export type Admission = (req: Request, res: Response) => Promise<Caller>;

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
export function noted(app: App, { req, res, route, caller }: Denied, error: unknown): unknown {
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

/** Method and path of a request, without its query. */
export const placeOf = ({ method, originalUrl }: Request): string =>
  `${method} ${originalUrl.split('?', 1)[0]}`;

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

/** The caller that `admitting` set for this request. */
export function callerOf(res: Response): Caller {
  const caller: Caller | undefined = res.locals['caller'];
  if (!caller) throw new NotAuthenticated();
  return caller;
}
