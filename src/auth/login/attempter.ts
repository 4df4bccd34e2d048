import type { Caller } from '../../app.ts';
import { perApp } from '../../per-app.ts';
import { type Attempter, Throttle } from '../throttle/throttle.ts';
import { normalizeLogin } from './checks.ts';

/** One throttle for logins over the API, logins on the pages and password changes. */
export const throttle = perApp((app) => new Throttle(app.clock));

/** The source that password hashing counts against: address of a public call, else the principal. */
export const sourceOfCaller = ({ source, tenantId, principalId }: Caller): string =>
  source ?? `principal ${tenantId} ${principalId}`;

/** The login name that is tried, and the source of the attempt. */
export const attempterOf = (
  caller: Caller,
  { tenant, name }: { tenant: string; name: string },
): Attempter => ({
  name: JSON.stringify([tenant, normalizeLogin(name)]),
  source: sourceOfCaller(caller),
});
