import type { RequestHandler } from 'express';

import { addressAsked, type Audience, resourceOf, SCOPES_OF } from '../auth/permission/audience.ts';
import type { App } from '../kernel/app/app.ts';

/** Protected-resource metadata (RFC 9728), readable by any web page: it contains no secret. */
export const protectedResource =
  (app: App, audience: Audience): RequestHandler =>
  (request, response) => {
    // A client compares the resource with the address it called (RFC 9728 3.3).
    const address = addressAsked(app, request);
    response.set('Access-Control-Allow-Origin', '*').json({
      resource: resourceOf(app, audience, address),
      authorization_servers: [address],
      bearer_methods_supported: ['header'],
      scopes_supported: SCOPES_OF[audience],
      resource_name: 'Device Data Platform',
    });
  };
