import type { RequestHandler, Response } from 'express';

import { callerOf } from './authenticate.ts';
import { concurrencyLimit } from './concurrency-limit.ts';

/** Of one principal, of one tenant and of all together, at a time. */
const MOST = { principal: 16, tenant: 32, all: 64 } as const;

export const principalOf = (res: Response): string => {
  const { tenantId, principalId } = callerOf(res);
  return `${tenantId}:${principalId}`;
};

/** Places for requests that hold much for long: nobody can take those of others. */
export const placesFor = (what: string): RequestHandler[] => [
  concurrencyLimit(MOST.principal, `${what} of this principal`, principalOf),
  concurrencyLimit(MOST.tenant, `${what} of this tenant`, (res) => callerOf(res).tenantId),
  concurrencyLimit(MOST.all, what),
];
