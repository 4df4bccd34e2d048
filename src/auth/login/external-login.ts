import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';

export const ExternalLogin = z.unknown();

/** Only local credentials work (docs/specification/login.md 7): always Forbidden (403), for any input. */
export const externalLogin: Operation<unknown, never> = async () => {
  throw new Forbidden('Login through an external identity provider is not enabled');
};
