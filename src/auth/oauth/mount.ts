import express, { type RequestHandler, type Router } from 'express';

import type { App } from '../../app.ts';
import { providerOf } from './provider.ts';

const READ = [
  '/oauth2/authorize',
  '/oauth2/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
];
const SENT = ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect'];

/**
 * The authorization server at the gateway root, ahead of every body parser: it reads its own forms
 * and answers errors in the protocol's JSON (RFC 6749 5.2).
 */
export function oauthRouter(app: App): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const handle = serve(app);
  router.get(READ, handle).post(SENT, handle);
  router.options([...READ, ...SENT], handle);
  return router;
}

function serve(app: App): RequestHandler {
  return async (req, res) => {
    const provider = await providerOf(app);
    const { protocol, host } = new URL(app.config.baseUrl);
    // URLs in answers carry the public address, whatever Host or Forwarded the request came with.
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    req.headers['x-forwarded-host'] = host;
    req.headers.accept = 'application/json';
    await provider.callback()(req, res);
  };
}
