import { z } from 'zod';

import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { secret } from '../../kernel/input/secret.ts';
import { authenticateLogin } from './login.ts';
import { AskSalt } from './salt.ts';

export const CheckToken = AskSalt.extend({
  token: secret(z.string().max(4_096)).meta({
    examples: ['eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI3MzEyIn0.c2lnbmF0dXJl'],
  }),
  salt: z.string().max(256).default(''),
});

/** Whether a login token is still valid; always false for one of another tenant. */
export async function checkToken(
  app: App,
  caller: Caller,
  { tenant, name, token, salt }: z.output<typeof CheckToken>,
): Promise<boolean> {
  try {
    const owner = await authenticateLogin(app, { tenant, login: name, token: { salt, token } });
    return owner.tenantId === caller.tenantId;
  } catch (error) {
    if (error instanceof NotAuthenticated) return false;
    throw error;
  }
}
