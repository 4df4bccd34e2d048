import type { Caller } from '../../kernel/app/app.ts';
import type { Attempter } from '../throttle/throttle.ts';
import { normalizeLogin } from './checks.ts';

/** The source that password hashing counts against: address of a public call, else the principal. */
export const sourceOfCaller = ({ source, tenantId, principalId }: Caller): string =>
  source ?? `principal ${tenantId} ${principalId}`;

/** The login name that is tried, and the source of the attempt. */
export const attempterOf = (
  caller: Caller,
  { tenant, name }: { tenant: string; name: string },
): Attempter & { tenant: string; login: string } => ({
  name: JSON.stringify([tenant, normalizeLogin(name)]),
  tenant,
  login: normalizeLogin(name),
  source: sourceOfCaller(caller),
});
