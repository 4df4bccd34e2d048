import type { Request, RequestHandler, Response } from 'express';

import { CountByKey } from '../../kernel/count.ts';
import { TooManyRequests } from '../../kernel/errors.ts';

/**
 * Refuses (429) more than `limit` concurrent requests of one key in this process; without `keyOf` all
 * requests count together. With `headers` each answer says what is left in OpenAI's headers.
 *
 * @example
 * router.use(concurrencyLimit(8, 'requests of this tenant', (res) => callerOf(res).tenantId));
 */
export function concurrencyLimit(
  limit: number,
  what: string,
  keyOf: (res: Response, req: Request) => string = () => '',
  { headers = false }: { headers?: boolean } = {},
): RequestHandler {
  const underWay = new CountByKey();
  return (req, res, next) => {
    // The client has disconnected: no second `close` would release the slot.
    if (res.closed) return;
    const key = keyOf(res, req);
    const count = underWay.of(key);
    if (headers) {
      res.setHeader('x-ratelimit-limit-requests', limit);
      res.setHeader('x-ratelimit-remaining-requests', Math.max(0, limit - count - 1));
      // A place is free again when a turn has ended: the least that is worth waiting for.
      res.setHeader('x-ratelimit-reset-requests', count + 1 < limit ? '0s' : '1s');
    }
    if (count >= limit) throw new TooManyRequests(`Too many ${what} are under way`, 1);
    underWay.add(key, 1);
    res.once('close', () => underWay.add(key, -1));
    next();
  };
}
