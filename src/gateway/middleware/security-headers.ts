import type { RequestHandler } from 'express';

import type { App } from '../../kernel/app/app.ts';

const YEAR_S = 31_536_000;

/**
 * Answers carry data of one caller: no caching, framing, sniffing, referrer or use by pages of other sites; https stays
 * https. Pages of OAuth are opened as windows by clients in browsers, which wait for them: those keep their opener.
 */
export const securityHeaders =
  ({ config }: Pick<App, 'config'>): RequestHandler =>
  (req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    res.setHeader('x-content-type-options', 'nosniff');
    res.setHeader('referrer-policy', 'no-referrer');
    res.setHeader('x-frame-options', 'DENY');
    res.setHeader(
      'content-security-policy',
      "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    // Requests with CORS are not concerned (Fetch standard 3.6): they are allowed one by one.
    res.setHeader('cross-origin-resource-policy', 'same-origin');
    if (!req.path.startsWith('/oauth2/'))
      res.setHeader('cross-origin-opener-policy', 'same-origin');
    if (config.baseUrl.startsWith('https:'))
      res.setHeader('strict-transport-security', `max-age=${YEAR_S}`);
    next();
  };
