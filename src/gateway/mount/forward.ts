import { type RequestHandler, Router } from 'express';

import { signPrincipal } from '../../auth/credential/trust.ts';
import { ADDRESS_HEADER } from '../../auth/login/client-address.ts';
import { CURRENT_PATH } from '../../auth/login/routes.ts';
import { isPresent } from '../../auth/permission/present.ts';
import type { App } from '../../kernel/app/app.ts';
import type { Route } from '../../kernel/app/route.ts';
import type { Center } from '../../kernel/process/layout.ts';
import { PUBLIC_BYTES } from '../../kernel/request/body.ts';
import { vouchForAddress } from '../middleware/address/client-address.ts';
import { identification } from '../middleware/authenticate.ts';
import { anyBody, isLarge, mostBytes } from '../middleware/body.ts';
import { placesFor } from '../middleware/places.ts';
import { centers, CHAT, MODELS } from './centers.ts';
import { CHAT_BYTES, CHAT_PATHS, MODEL_PATHS, RESPONSE_PATHS, STREAM_PATHS } from './chat.ts';
import { admission } from './mount.ts';
import { STORED_ROUTES } from './stored-chat.ts';
import { upstream } from './upstream.ts';

/** Headers a center gets of any request; credentials are not forwarded. */
const PLAIN = [
  'accept',
  'content-type',
  'last-event-id',
  'x-conversation-id',
  'x-conversation-resent',
  'x-openwebui-chat-id',
  'x-openwebui-user-id',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-pagerduty-signature',
  'x-answer-secret',
  ADDRESS_HEADER,
];
const TRUSTED = [...PLAIN, 'x-auth-principal', 'x-auth-sign'];

/**
 * Forwards to a remote center, mounted below its prefix: the caller is authenticated and authorized here, the body is
 * read, so that one limit and one timeout hold for every center, the signed principal is added, and the answer is
 * returned unchanged (docs/specification/trust.md). Unknown paths are forwarded without a principal and a body; the
 * center answers 404 and 405.
 */
export function forwarded(app: App, center: Center, urls: readonly string[]): Router {
  const to = upstream(app, `${center} center`, urls);
  const send = to({ headers: TRUSTED });
  const plain = to({ headers: PLAIN });
  const router = Router().use(vouchForAddress(app));
  if (center === 'agentic') {
    const chat = [vouching(app, center, CHAT)];
    router
      .post([...CHAT_PATHS, ...RESPONSE_PATHS], ...chat, anyBody(app, CHAT_BYTES), send)
      .get(STREAM_PATHS, ...chat, send)
      .get(MODEL_PATHS, vouching(app, center, MODELS), send);
    for (const { method, paths, bytes, ...route } of STORED_ROUTES) {
      const body = bytes === 0 ? [] : [anyBody(app, bytes)];
      router[method](paths, vouching(app, center, route), ...body, send);
    }
  }
  // The proof that it answers is made of the cookie.
  const current = to({ headers: [...TRUSTED, 'cookie'] });
  const uploads = placesFor('uploads');
  for (const route of centers[center]) {
    const { method, path, needs } = route;
    const limit = mostBytes(route);
    const body = limit === 0 ? [] : [anyBody(app, limit)];
    if (needs === 'public') router[method](path, ...body, plain);
    else {
      const places = isLarge(route) ? uploads : [];
      const isCurrent = center === 'auth' && path === CURRENT_PATH;
      router[method](
        path,
        vouching(app, center, route),
        ...places,
        ...body,
        isCurrent ? current : send,
      );
    }
  }
  return router.use(plain);
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
export function forwardedOauth(app: App, urls: readonly string[]): Router {
  const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const to = upstream(app, 'auth center', urls)({ headers: OAUTH });
  const router = Router({ caseSensitive: true });
  const paths = [...metadata, '/oauth2/*path'];
  return router.all(paths, vouchForAddress(app), hostAsked, anyBody(app, PUBLIC_BYTES), to);
}

/**
 * Admits the caller of a call that is forwarded: it becomes the signed principal header that the center trusts
 * (docs/specification/trust.md 2–3). Principal headers of the request are dropped, signing on or off; otherwise a
 * client could choose its principal. A center does not see the credential, so it is checked here.
 */
function vouching(app: App, center: string, route: Pick<Route, 'needs' | 'scope'>): RequestHandler {
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
