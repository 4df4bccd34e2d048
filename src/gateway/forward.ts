import express, { type RequestHandler, Router } from 'express';

import type { App } from '../app.ts';
import { ADDRESS_HEADER } from '../auth/login/client-address.ts';
import { NotAuthenticated } from '../core/errors.ts';
import type { Center } from '../core/process-roles.ts';
import { centers } from './centers.ts';
import { CHAT_BODY, CHAT_PATHS, MODEL_PATHS } from './chat.ts';
import { authenticate } from './middleware/authenticate.ts';
import { vouchForAddress } from './middleware/client-address.ts';
import { concurrencyLimit } from './middleware/concurrency-limit.ts';
import { JSON_BODY } from './middleware/json-body.ts';
import { MAX_FORMS_UNDER_WAY, rawBodyLimit } from './middleware/raw-body.ts';
import { upstream } from './upstream.ts';

const FORM_BODY = '64kb';

/** What a center gets of any request; credentials end at the gateway. */
const PLAIN = [
  'accept',
  'content-type',
  'x-conversation-id',
  'x-openwebui-chat-id',
  ADDRESS_HEADER,
];
const TRUSTED = [...PLAIN, 'x-auth-principal', 'x-auth-sign'];

/** Read whole before anything is sent on, so that one limit and one timeout hold for every center. */
const whole = (limit: string | number): RequestHandler => express.raw({ type: () => true, limit });

/** Refuses whoever `authenticate` found to be nobody. */
const known: RequestHandler = (req, _res, next) => {
  if (req.headers['x-auth-principal'] === undefined) throw new NotAuthenticated();
  next();
};

/**
 * A center that runs elsewhere, mounted below its prefix: the caller is found out here, the signed principal
 * goes along, and what the center answers comes back unchanged (docs/specification/trust.md). Public and
 * unknown paths go without a principal; the center tells 404 and 405.
 */
export function forwarded(app: App, center: Center, url: string): Router {
  const to = upstream(app, `${center} center`, url);
  const send = to({ headers: TRUSTED });
  const trusted = [authenticate(app), send];
  const router = Router().use(vouchForAddress(app));
  if (center === 'agentic') {
    router.post(CHAT_PATHS, whole(CHAT_BODY), ...trusted).get(MODEL_PATHS, ...trusted);
  }
  // Large bodies are held here before the center can refuse them.
  const large = [authenticate(app), known, concurrencyLimit(MAX_FORMS_UNDER_WAY, 'uploads')];
  for (const route of centers[center]) {
    const limit = rawBodyLimit(route);
    if (limit !== null) router[route.method](route.path, ...large, whole(limit), send);
  }
  router.use(whole(JSON_BODY));
  for (const { method, path, needs } of centers[center])
    if (needs !== 'public') router[method](path, ...trusted);
  return router.use(to({ headers: PLAIN }));
}

/** Its pages and its protocol need the browser's own headers. */
const OAUTH = [
  ADDRESS_HEADER,
  'x-forwarded-host',
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'cookie',
  'origin',
  'referer',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'access-control-request-method',
  'access-control-request-headers',
];

/** What it was reached by decides how the authorization server names itself. */
const hostAsked: RequestHandler = (req, _res, next) => {
  req.headers['x-forwarded-host'] = req.headers.host ?? '';
  next();
};

/** The authorization server lives in the auth center: its paths at the gateway's root lead there. */
export function forwardedOauth(app: App, url: string): Router {
  const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const to = upstream(app, 'auth center', url)({ headers: OAUTH });
  const router = Router({ caseSensitive: true });
  const paths = [...metadata, '/oauth2/*path'];
  return router.all(paths, vouchForAddress(app), hostAsked, whole(FORM_BODY), to);
}
