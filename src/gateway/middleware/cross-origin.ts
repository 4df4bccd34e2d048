import type { Request, RequestHandler, Response } from 'express';

import { tenantsNaming } from '../../agentic/chat/origin.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Forbidden, NotAuthenticated } from '../../kernel/errors.ts';

/** What the clients of OpenAI and their tracing send, and the headers of the chat. */
const ASKED =
  /^(authorization|content-type|accept|user-agent|cache-control|last-event-id|idempotency-key|traceparent|tracestate|baggage|sentry-trace|b3|http-referer|x-title|x-requested-with|x-conversation-(id|resent)|x-request-id|x-client-request-id|(openai|x-openai|x-stainless|x-openwebui|x-datadog|x-b3)-[a-z-]+)$/;
const SHOWN = [
  'content-disposition',
  'retry-after',
  'x-conversation-id',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-request-id',
  'x-should-retry',
];
const PREFLIGHT_S = 600;

/**
 * Answers browsers on pages of origins that a tenant named (Fetch standard, CORS protocol): with a bearer token alone,
 * as a cookie would be sent by any page. `allowed` checks the tenant once the caller is known. Any other origin is
 * answered as ever, so its browser shows the page nothing.
 */
export const crossOrigin =
  (app: App): RequestHandler =>
  async (req, res, next) => {
    const origin = req.get('origin');
    if (origin === undefined) return next();
    res.vary('origin');
    const tenants = await tenantsNaming(app, origin);
    if (tenants.size === 0) return next();
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('access-control-expose-headers', SHOWN.join(', '));
    if (req.method === 'OPTIONS') return preflight(req, res);
    if (!/^bearer +/i.test(req.get('authorization') ?? ''))
      throw new NotAuthenticated('A page of another origin needs a bearer token');
    delete req.headers.cookie;
    res.locals['originTenants'] = tenants;
    next();
  };

function preflight(req: Request, res: Response): void {
  const asked = (req.get('access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => ASKED.test(name));
  res.vary('access-control-request-headers');
  res
    .status(204)
    .set('access-control-allow-methods', 'GET, POST, DELETE')
    .set('access-control-allow-headers', asked.join(', '))
    .set('access-control-max-age', String(PREFLIGHT_S))
    .end();
}

/** Throws Forbidden when the page's origin is that of other tenants only. */
export function demandOrigin(res: Response, { tenantId }: Caller): void {
  const tenants: ReadonlySet<string> | undefined = res.locals['originTenants'];
  if (tenants && !tenants.has(tenantId))
    throw new Forbidden('This tenant has not named the origin of the page');
}
