import type { RequestHandler, Response } from 'express';

import type { App, Caller } from '../../app.ts';
import { demand } from '../../auth/rights/permission.ts';
import { callerFromClaims, verifyPrincipal } from '../../auth/token/trust.ts';
import { Forbidden, NotAuthenticated } from '../../core/errors.ts';
import type { Route } from '../../route.ts';
import { missing } from './missing.ts';

/** Reads the signed principal (docs/specification/trust.md 4); checks the route's scope and permission. */
export function authorize(
  app: App,
  center: string,
  { needs, scope }: Pick<Route, 'needs' | 'scope'>,
): RequestHandler {
  return async (req, res, next) => {
    const claims = verifyPrincipal(app, {
      principal: header(req.headers['x-auth-principal']),
      sign: header(req.headers['x-auth-sign']),
    });
    if (!claims) throw missing();
    const caller = await callerFromClaims(app, claims);
    demandScope(caller, scope, res);
    if (needs !== 'authenticated') demand(caller, `svc-center-${center}:${needs}`);
    res.locals['caller'] = caller;
    next();
  };
}

/** Throws Forbidden (403) for a token or key without the scope; logins are limited by permissions alone. */
function demandScope({ scopes, via }: Caller, scope: Route['scope'], res: Response): void {
  if (scopes === undefined && via !== 'oauth' && via !== 'key') return;
  if (scope === 'interactive') throw new Forbidden('This needs an interactive login');
  if (scopes?.includes(scope)) return;
  res.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
  throw new Forbidden(`The token lacks the scope ${scope}`);
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** The caller that `authorize` set for this request. */
export function callerOf(res: Response): Caller {
  const caller: Caller | undefined = res.locals['caller'];
  if (!caller) throw new NotAuthenticated();
  return caller;
}
