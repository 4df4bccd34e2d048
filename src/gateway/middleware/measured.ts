import type { Request, RequestHandler } from 'express';

import type { App } from '../../kernel/app/app.ts';

const PARTS = ['auth', 'manager', 'data', 'agentic', 'live', 'mcp', 'oauth2', 'console'] as const;
/** Health is asked by machines, as often as they like. */
const HEALTH = new Set(['/livez', '/readyz', '/healthz']);

/** Measures each request but those for health and streams of events, which last as long as their reader stays. */
export function measured({ metrics, clock }: App, own: string): RequestHandler {
  return (req, res, next) => {
    if (HEALTH.has(req.path)) return next();
    const since = clock.elapsed();
    const part = partOf(req) ?? own;
    res.once('finish', () => {
      if (String(res.getHeader('content-type') ?? '').startsWith('text/event-stream')) return;
      const status = classOf(res.statusCode);
      metrics.took('svc_http_seconds', { part, status }, clock.elapsed() - since);
    });
    next();
  };
}

/** The center of `/api/v3/data/…`, or the first part of another path; undefined for any other. */
function partOf({ path }: Request): string | undefined {
  const [, first, , third] = path.split('/', 4);
  const name = first === 'api' ? third : first;
  return PARTS.find((part) => part === name);
}

const classOf = (status: number) =>
  status < 300 ? '2xx' : status < 400 ? '3xx' : status < 500 ? '4xx' : '5xx';
