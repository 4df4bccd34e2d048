import type { RequestHandler, Response } from 'express';

import type { App, Caller } from '../../app.ts';
import { callerFromClaims, verifyPrincipal } from '../../auth/login/trust.ts';
import { demand } from '../../auth/rights/permission.ts';
import { Forbidden, NotAuthenticated } from '../../core/errors.ts';

/**
 * The OAuth scope a bearer token needs for a route. Null: no scope opens it; changes, confirmations
 * and account matters take an interactive login (DESIGN.md, Identity and trust).
 */
export function scopeFor(needs: string): string | null {
  // What is attached is said to the model, and uploading is no reading.
  if (needs === 'chat:list' || needs === 'attachment:list') return 'svc:chat';
  if (needs === 'point_command:read') return 'svc:read-device';
  return /:(list|get)$/.test(needs) ? 'svc:read' : null;
}

/** Reads the signed principal (SPEC.md, Gateway to backend trust 4) and checks the route's permission. */
export function authorize(
  app: App,
  center: string,
  needs: string,
  scope = scopeFor(needs),
): RequestHandler {
  return async (req, res, next) => {
    const claims = verifyPrincipal(app, {
      principal: header(req.headers['x-auth-principal']),
      sign: header(req.headers['x-auth-sign']),
    });
    if (!claims) throw new NotAuthenticated();
    const caller = await callerFromClaims(app, claims);
    if (caller.scopes) {
      if (scope === null) throw new Forbidden('This needs an interactive login');
      if (!caller.scopes.includes(scope)) throw new Forbidden(`The token lacks the scope ${scope}`);
    }
    if (needs !== 'authenticated') demand(caller, `svc-center-${center}:${needs}`);
    res.locals['caller'] = caller;
    next();
  };
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** The caller `authorize` found for this request. */
export function callerOf(res: Response): Caller {
  const caller: Caller | undefined = res.locals['caller'];
  if (!caller) throw new NotAuthenticated();
  return caller;
}
