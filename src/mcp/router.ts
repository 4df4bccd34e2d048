import { type RequestHandler, Router } from 'express';

import type { App } from '../kernel/app/app.ts';
import { protectedResource } from './protected-resource.ts';
import { READ_ONLY_PATH } from './request/http/narrowing.ts';
import { sameSite } from './request/http/origin.ts';

const METHODS = ['POST', 'GET', 'DELETE'];

/** `/mcp`, and the metadata by which a client finds a token for it. */
export function mcpRouter(app: App): Router {
  return Router()
    .get('/.well-known/oauth-protected-resource', protectedResource(app, 'mcp'))
    .get('/.well-known/oauth-protected-resource/mcp', protectedResource(app, 'mcp'))
    .get(`/.well-known/oauth-protected-resource${READ_ONLY_PATH}`, protectedResource(app, 'mcp'))
    .get('/.well-known/oauth-protected-resource/api/v3', protectedResource(app, 'api'))
    .all(['/mcp', READ_ONLY_PATH], sameSite(app), onlyServedMethods, endpoint(app));
}

const onlyServedMethods: RequestHandler = (request, response, next) => {
  if (METHODS.includes(request.method)) return next();
  response.set('Allow', METHODS.join(', ')).status(405).end();
};

/** Loaded by the first request: the protocol's library takes a tenth of a second and 30 MB. */
function endpoint(app: App): RequestHandler {
  let loaded: Promise<RequestHandler> | null = null;
  return async (request, response, next) => {
    loaded ??= import('./endpoint.ts').then(({ mcpEndpoint }) => mcpEndpoint(app));
    return (await loaded)(request, response, next);
  };
}
