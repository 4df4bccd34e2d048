import type { RequestHandler } from 'express';

import type { App } from '../../app.ts';
import { sourceAt } from '../../auth/oauth/source.ts';

/** A warning is shown for so long after the last sign: any client can write the header once. */
const SHOWN_MS = 3_600_000;
const WARNING =
  'X-Forwarded-For or Forwarded arrives from an address that SVC_TRUSTED_PROXIES does not name: ' +
  'if it is a proxy, all clients behind it count as one, and one of them can keep the others from logging in';

/**
 * Watches for proxies that are not trusted: behind one everybody has its address, and nothing else shows it. The log says
 * it once, with the address; `warnings` has it for `/readyz`, where anybody reads it, without.
 */
export function watchProxies({ clock, log }: Pick<App, 'clock' | 'log'>): {
  watch: RequestHandler;
  warnings(): string[];
} {
  let lastMs: number | null = null;
  return {
    watch(req, res, next) {
      const isForwarded =
        req.headers['x-forwarded-for'] !== undefined || req.headers['forwarded'] !== undefined;
      // Of a trusted proxy, Express has read the addresses.
      if (isForwarded && req.ips.length === 0) {
        if (lastMs === null) log.warn({ source: sourceAt(res) }, WARNING);
        lastMs = clock.elapsed();
      }
      next();
    },
    warnings: () => (lastMs !== null && clock.elapsed() - lastMs < SHOWN_MS ? [WARNING] : []),
  };
}
