import type { Request, RequestHandler } from 'express';

import { sourceAt } from '../../../auth/oauth/store/body.ts';
import type { App } from '../../../kernel/app/app.ts';

/** A warning is shown for so long after the last sign: any client can write the header once. */
const SHOWN_MS = 3_600_000;
const COUNT_AS_ONE =
  'all clients behind it count as one, and one of them can keep the others from logging in';
const STRANGE =
  'X-Forwarded-For or Forwarded arrives from an address that SVC_TRUSTED_PROXIES does not name: ' +
  `if it is a proxy, ${COUNT_AS_ONE}`;
const UNREAD =
  'A proxy of SVC_TRUSTED_PROXIES sends Forwarded without X-Forwarded-For, which alone is read: ' +
  `until it sends X-Forwarded-For, ${COUNT_AS_ONE}`;

/**
 * Watches for proxies that are not trusted, and for those that do not say the address of a client in X-Forwarded-For:
 * behind one everybody has its address, and nothing else shows it. The log says each once, with the address; `warnings`
 * has it for `/readyz`, where anybody reads it, without.
 */
export function watchProxies({ clock, log }: Pick<App, 'clock' | 'log'>): {
  watch: RequestHandler;
  warnings(): string[];
} {
  const lastMs = new Map<string, number>();
  return {
    watch(req, res, next) {
      const warning = warningOf(req);
      if (warning !== null) {
        if (!lastMs.has(warning)) log.warn({ source: sourceAt(res) }, warning);
        lastMs.set(warning, clock.elapsed());
      }
      next();
    },
    warnings: () =>
      [STRANGE, UNREAD].filter(
        (warning) => clock.elapsed() - (lastMs.get(warning) ?? -Infinity) < SHOWN_MS,
      ),
  };
}

function warningOf({ app, headers, socket }: Request): string | null {
  const isListed = headers['x-forwarded-for'] !== undefined;
  if (!isListed && headers.forwarded === undefined) return null;
  const isTrusted: (address: string, hops: number) => boolean = app.get('trust proxy fn');
  if (!isTrusted(socket.remoteAddress ?? '', 0)) return STRANGE;
  return isListed ? null : UNREAD;
}
