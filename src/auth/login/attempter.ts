import type { Caller } from '../../app.ts';
import { perApp } from '../../per-app.ts';
import { type Attempter, Throttle } from '../throttle/throttle.ts';
import { normalizeLogin } from './checks.ts';

/** Of logins, over the API and on the pages, and of changes of a password. */
export const throttle = perApp((app) => new Throttle(app.clock));

/** Where a caller's passwords are computed for: the address of a public call, else the principal. */
export const sourceOfCaller = ({ source, tenantId, principalId }: Caller): string =>
  source ?? `principal ${tenantId} ${principalId}`;

/** What a login tries, and from where. */
export const attempterOf = (
  caller: Caller,
  { tenant, name }: { tenant: string; name: string },
): Attempter => ({
  name: JSON.stringify([tenant, normalizeLogin(name)]),
  source: sourceOfCaller(caller),
});
