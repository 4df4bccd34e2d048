import type { Caller } from '../../app.ts';
import { Forbidden } from '../../core/errors.ts';

/** Throws Forbidden (403) unless the caller is a user on an interactive login. */
export function demandPerson({ via, principalType }: Caller, what: string): void {
  if (via === 'login' && principalType === 'USER') return;
  throw new Forbidden(`Only a human with an interactive login may ${what}`);
}
