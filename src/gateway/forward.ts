import express, { type RequestHandler, Router } from 'express';

import type { App } from '../app.ts';
import { ADDRESS_HEADER } from '../auth/login/client-address.ts';
import { CURRENT_PATH } from '../auth/session/routes.ts';
import { NotAuthenticated } from '../core/errors.ts';
import type { Center } from '../core/process/layout.ts';
import { centers } from './centers.ts';
import { CHAT_BODY, CHAT_PATHS, MODEL_PATHS, RESPONSE_PATHS, STREAM_PATHS } from './chat.ts';
import { authenticate } from './middleware/authenticate.ts';
import { vouchForAddress } from './middleware/client-address.ts';
import { concurrencyLimit } from './middleware/concurrency-limit.ts';
import { JSON_BODY } from './middleware/json-body.ts';
import { MAX_FORMS_UNDER_WAY, rawBodyLimit } from './middleware/raw-body.ts';
import { upstream } from './upstream.ts';

const FORM_BODY = '64kb';

/** Headers a center gets of any request; credentials are not forwarded. */
const PLAIN = [
  'accept',
  'content-type',
  'last-event-id',
  'x-conversation-id',
  'x-openwebui-chat-id',
  'x-openwebui-user-id',
  ADDRESS_HEADER,
];
const TRUSTED = [...PLAIN, 'x-auth-principal', 'x-auth-sign'];

/** Reads the whole body before forwarding, so that one limit and one timeout hold for every center. */
const rawBodyUpTo = (limit: string | number): RequestHandler =>
  express.raw({ type: () => true, limit });

/** Refuses callers that `authenticate` did not identify. */
const known: RequestHandler = (req, _res, next) => {
  if (req.headers['x-auth-principal'] === undefined) throw new NotAuthenticated();
  next();
};

/**
 * Forwards to a remote center, mounted below its prefix: the caller is authenticated here, the signed
 * principal is added, and the answer is returned unchanged (docs/specification/trust.md). Public and
 * unknown paths are forwarded without a principal; the center answers 404 and 405.
 */
export function forwarded(app: App, center: Center, url: string): Router {
  const to = upstream(app, `${center} center`, url);
  const send = to({ headers: TRUSTED });
  const trusted = [authenticate(app), send];
  const router = Router().use(vouchForAddress(app));
  if (center === 'agentic') {
    router
      .post([...CHAT_PATHS, ...RESPONSE_PATHS], rawBodyUpTo(CHAT_BODY), ...trusted)
      .get([...MODEL_PATHS, ...STREAM_PATHS], ...trusted);
  }
  // Large bodies are held here before the center can refuse them: known callers only, in bounded number.
  const large = [authenticate(app), known, concurrencyLimit(MAX_FORMS_UNDER_WAY, 'uploads')];
  for (const route of centers[center]) {
    const limit = rawBodyLimit(route);
    if (limit !== null) router[route.method](route.path, ...large, rawBodyUpTo(limit), send);
  }
  router.use(rawBodyUpTo(JSON_BODY));
  // The proof that it answers is made of the cookie.
  if (center === 'auth')
    router.get(CURRENT_PATH, authenticate(app), to({ headers: [...TRUSTED, 'cookie'] }));
  for (const { method, path, needs } of centers[center])
    if (needs !== 'public') router[method](path, ...trusted);
  return router.use(to({ headers: PLAIN }));
}

/** The authorization server's pages and protocol need the browser's own headers. */
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

/** The requested host decides under which address the authorization server answers. */
const hostAsked: RequestHandler = (req, _res, next) => {
  req.headers['x-forwarded-host'] = req.headers.host ?? '';
  next();
};

/** Forwards the root paths of the authorization server to the auth center. */
export function forwardedOauth(app: App, url: string): Router {
  const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const to = upstream(app, 'auth center', url)({ headers: OAUTH });
  const router = Router({ caseSensitive: true });
  const paths = [...metadata, '/oauth2/*path'];
  return router.all(paths, vouchForAddress(app), hostAsked, rawBodyUpTo(FORM_BODY), to);
}
