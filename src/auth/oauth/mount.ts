import express, { type RequestHandler, type Response, type Router } from 'express';

import type { App } from '../../kernel/app/app.ts';
import { calledFrom } from '../../kernel/request/called-from.ts';
import { addressAsked } from '../permission/audience.ts';
import { completeRequest, countVisit } from './authorize-request.ts';
import { codeOfAddress, countEntered, preparedForm } from './device.ts';
import { interactionRouter } from './interaction.ts';
import { providerOf } from './provider.ts';
import { refuse, sourceAt, withBody } from './store/body.ts';
import { PATHS } from './store/paths.ts';
import { registrationRouter } from './store/registration.ts';

const READ = [
  PATHS.jwks,
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
];
const SENT = [PATHS.token, PATHS.revocation, PATHS.introspection, PATHS.device_authorization];

/**
 * The authorization server at the gateway root: it answers errors in the protocol's JSON (RFC 6749 5.2), or with a
 * page to a browser.
 */
export function oauthRouter(app: App): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const handle = serve(app);
  router.get(READ, asJson, handle).post(SENT, asJson, handle);
  router.options([...READ, ...SENT], handle);
  router.get(PATHS.authorization, complete(app), handle);
  router.get(PATHS.code_verification, codeOfAddress, handle);
  router.post(PATHS.code_verification, countEntered(app), handle);
  // Where the library goes on after the pages.
  router.get([`${PATHS.authorization}/:uid`, `${PATHS.code_verification}/:uid`], handle);
  return router.use(interactionRouter(app), registrationRouter(app));
}

/** Programs get JSON here, whatever their Accept header. */
const asJson: RequestHandler = (req, _res, next) => {
  req.headers.accept = 'application/json';
  next();
};

const complete =
  (app: App): RequestHandler =>
  (req, res, next) => {
    countVisit(app, sourceAt(res));
    req.url = completeRequest(app, req.url);
    next();
  };

function serve(app: App): RequestHandler {
  return async (req, res) => {
    const address = addressAsked(app, req);
    const provider = await providerOf(app, address);
    const { protocol, host } = new URL(address);
    // URLs in answers use a platform address, whatever Host or Forwarded header the request had.
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    req.headers['x-forwarded-host'] = host;
    const source = sourceAt(res);
    const prepare = (form: Buffer) => preparedForm(app, req.path, source, form);
    const whole =
      req.method === 'POST' ? await withBody(app, req, res, prepare).catch(refused(res)) : req;
    if (whole) await calledFrom(source, () => provider.callback()(whole, res));
  };
}

const refused =
  (res: Response) =>
  (error: unknown): null => {
    refuse(res, error);
    return null;
  };
