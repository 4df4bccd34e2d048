import type { Caller } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';

/** Throws Forbidden (403) unless the caller is a user on an interactive login. */
export function demandPerson({ via, principalType }: Caller, what: string): void {
  if (via === 'login' && principalType === 'USER') return;
  throw new Forbidden(`Only a human with an interactive login may ${what}`);
}
