import { z } from 'zod';

import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { secret } from '../../kernel/input/secret.ts';
import { audit } from '../audit/audit.ts';
import { revokeTokens } from '../credential/denylist.ts';
import { demandGoodPassword, hashPassword, passwordExpiry } from '../credential/password.ts';
import { attemptLogin } from './ceiling.ts';
import { attempterOf, checkLogin, LoginRefused } from './checks.ts';
import { Password } from './login.ts';
import { AskSalt } from './salt.ts';

export const ChangePassword = AskSalt.extend({
  password: Password,
  newPassword: secret(z.string().max(4_096)).meta({ examples: ['Valve-87-copper'] }),
  salt: z
    .string()
    .meta({ examples: ['0b9c1f4e-5d3a-4c1e-9a77-2f6d8e1b4c30'] })
    .optional(),
});

/**
 * Replaces the password after the same checks, and under the same throttle, as a login; ends earlier logins
 * and tokens and clears a required change. Keys stay valid until they are revoked. Public, because a login
 * that must change its password gets no token. Throws NotAuthenticated (401), TooManyRequests (429) and
 * Unprocessable (422) with the reason.
 */
export async function changePassword(
  app: App,
  caller: Caller,
  input: z.output<typeof ChangePassword>,
): Promise<true> {
  const who = attempterOf(caller, input);
  const passed = await attemptLogin(app, who, (client) =>
    checkLogin(app, { ...input, salt: null }, client),
  );
  if (!passed) throw new LoginRefused();
  demandGoodPassword(input.newPassword, {
    names: [input.name, input.tenant],
    old: input.password,
  });
  const { credential, tenantId } = passed;
  const { principalId } = credential;
  const stored = await hashPassword(input.newPassword, { source: who.source, isKnown: true });
  const now = app.clock.now();
  await acrossTenants(app.db, 'login', async (q) => {
    const changed = await q
      .updateTable('svc_local_credential')
      .set({
        ...stored,
        passwordUpdatedTime: new Date(now),
        passwordExpireTime: passwordExpiry(app),
        requirePasswordChange: 0,
        failedAttempts: 0,
        operatorId: principalId,
        operatorName: input.name,
        operateTime: new Date(now),
      })
      .where('id', '=', credential.id)
      // Of two concurrent changes with the same old password only one succeeds.
      .where('passwordHash', '=', credential.passwordHash)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new LoginRefused();
    const memberships = await q
      .selectFrom('svc_tenant_membership')
      .select('tenantId')
      .where('principalId', '=', principalId)
      .execute();
    for (const membership of memberships) {
      await revokeTokens(q, membership.tenantId, principalId, now);
    }
    await audit(
      app,
      q,
      { tenantId, principalId, principalType: 'USER' },
      {
        action: 'CHANGE_PASSWORD',
        resourceType: 'LOCAL_CREDENTIAL',
        resourceId: credential.id,
        resourceName: input.name,
      },
    );
  });
  return true;
}
