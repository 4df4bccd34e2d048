import type { RequestHandler } from 'express';

import type { App } from '../../../kernel/app/app.ts';
import { isServedHost } from '../../../kernel/request/served-host.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests that a foreign web page makes a browser send: an Origin that is not allowed, or a Host
 * that is not ours (DNS rebinding). Allowed origins get the CORS headers a browser client needs.
 */
export const sameSite =
  (app: App): RequestHandler =>
  (request, response, next) => {
    const own = new URL(app.config.baseUrl);
    const local = app.config.production ? [] : LOOPBACK;
    if (!isServedHost(app.config, request.headers.host)) {
      response.status(403).json(refusal('This host name is not served here'));
      return;
    }
    const { origin } = request.headers;
    if (origin === undefined) return next();
    const isAllowed =
      origin === own.origin ||
      app.config.mcpOrigins.includes(origin) ||
      local.includes(hostname(origin) ?? '');
    if (!isAllowed) {
      response.status(403).json(refusal('This origin is not allowed'));
      return;
    }
    response
      .set('Access-Control-Allow-Origin', origin)
      .set('Access-Control-Expose-Headers', 'WWW-Authenticate, Mcp-Session-Id')
      .vary('Origin');
    if (request.method !== 'OPTIONS') return next();
    response
      .set('Access-Control-Allow-Methods', 'POST, GET, DELETE')
      .set('Access-Control-Allow-Headers', request.get('access-control-request-headers') ?? '')
      .status(204)
      .end();
  };

function hostname(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

const refusal = (message: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message },
});
