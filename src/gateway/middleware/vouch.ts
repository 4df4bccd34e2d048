import type { RequestHandler } from 'express';

import { isPresent } from '../../auth/permission/present.ts';
import { signPrincipal } from '../../auth/token/trust.ts';
import type { App } from '../../kernel/app/app.ts';
import type { Route } from '../../kernel/app/route.ts';
import { identification } from './authenticate.ts';
import { admission } from './authorize.ts';

/**
 * Admits the caller of a call that is forwarded: it becomes the signed principal header that the center trusts
 * (docs/specification/trust.md 2–3). Principal headers of the request are dropped, signing on or off; otherwise a
 * client could choose its principal. A center does not see the credential, so it is checked here.
 */
export function vouching(
  app: App,
  center: string,
  route: Pick<Route, 'needs' | 'scope'>,
): RequestHandler {
  const admit = admission(app, center, route, identification(app));
  return async (req, res, next) => {
    delete req.headers['x-auth-principal'];
    delete req.headers['x-auth-sign'];
    let caller = await admit(req, res);
    if (!(await isPresent(app, caller))) caller = await admit(req, res);
    const { principal, sign } = signPrincipal(app, caller);
    req.headers['x-auth-principal'] = principal;
    if (sign !== null) req.headers['x-auth-sign'] = sign;
    res.locals['caller'] = caller;
    next();
  };
}
