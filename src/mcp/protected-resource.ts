import type { RequestHandler } from 'express';

import type { App } from '../app.ts';
import { resourceOf } from '../auth/oauth/scope.ts';

export const SCOPES = ['svc:read', 'svc:read-device', 'svc:propose'] as const;

export const metadataUrlOf = (app: App): string =>
  `${app.config.baseUrl}/.well-known/oauth-protected-resource/mcp`;

/** Protected-resource metadata (RFC 9728), readable by any web page: it says nothing secret. */
export const protectedResource =
  (app: App): RequestHandler =>
  (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json({
      resource: resourceOf(app),
      authorization_servers: [app.config.baseUrl],
      bearer_methods_supported: ['header'],
      scopes_supported: SCOPES,
      resource_name: 'Device Data Platform',
    });
  };
