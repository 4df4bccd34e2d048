import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Code } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { Backoff } from './backoff.ts';
import { attempterOf, LoginRefused } from './checks.ts';
import { LOGIN_THROTTLE } from './throttle.ts';
import { Window } from './window.ts';

/** Unknown tenants that one source may try within a minute. */
const MAX_PER_SOURCE = 60;

/** Counted apart from logins, so that probing for tenants delays no login. */
const SALT_PROBES = slot((clock) => ({
  tenants: new Backoff(clock),
  sources: new Window(clock, MAX_PER_SOURCE),
}));

const Login = z.string().trim().pipe(Code);
export const AskSalt = z.object({
  tenant: Code.meta({ examples: ['plant-north'] }),
  name: Login.meta({ examples: ['anna.weber'] }),
});

/**
 * A random salt for an existing tenant; it is not stored (docs/specification/login.md 1). Throws
 * NotAuthenticated (401) for an unknown tenant and TooManyRequests (429) after several from one source.
 */
export async function salt(
  app: App,
  caller: Caller,
  input: z.output<typeof AskSalt>,
): Promise<string> {
  const { tenant } = input;
  const who = attempterOf(caller, input);
  const { tenants, sources } = app.of(SALT_PROBES);
  const probe = JSON.stringify([who.source, tenant]);
  const waitMs = Math.max(tenants.waitMs(probe), sources.waitMs(who.source));
  if (waitMs > 0 && !app.of(LOGIN_THROTTLE).isFamiliar(who))
    throw new TooManyRequests('Too many failed attempts', Math.ceil(waitMs / 1_000));
  const found = await acrossTenants(app.db, 'login', (q) =>
    q
      .selectFrom('svc_tenant')
      .select('id')
      .where('tenantCode', '=', tenant)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .executeTakeFirst(),
  );
  if (found) return randomUUID();
  tenants.failed(probe);
  sources.add(who.source);
  throw new LoginRefused();
}
