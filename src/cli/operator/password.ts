import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { normalizeLogin } from '../../auth/login/checks.ts';
import { setPassword } from '../../auth/people/set-password.ts';
import { permissionsOf } from '../../auth/permission/permission.ts';
import { DEFAULT_TENANT } from '../../auth/permission/platform.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { ConfigError } from '../../kernel/process/config.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Composition } from '../../start/composition.ts';

/**
 * `svc password LOGIN`: sets a new password, typed or piped in, or generated without input. It is not an
 * argument, because other users of the machine can read those.
 */
export async function passwordCommand(
  { createApp, readSettings }: Composition,
  login: string,
  { tenant = DEFAULT_TENANT }: { tenant?: string },
): Promise<void> {
  const config = readSettings();
  // No message is sent: without the bus, an unreachable broker does not prevent the change.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  try {
    const typed = await readPassword();
    const generated = typed === '' ? randomBytes(12).toString('base64url') : null;
    const { keys } = await setPassword(app, {
      tenant,
      login,
      password: generated ?? typed,
      mustChange: generated !== null,
    });
    process.stdout.write(
      generated === null
        ? `The password of ${login} in the tenant ${tenant} is set.\n`
        : `The password of ${login} in the tenant ${tenant} is now\n\n  ${generated}\n\nIt is shown once and must be changed at the next login.\n`,
    );
    if (keys.length > 0)
      process.stdout.write(
        `Keys of ${login} go on. Revoke each that may be known to others (POST /api/v3/auth/key/revoke):\n${keys
          .map(({ keyName, keyPrefix }) => `  ${quoted(keyName)} ${keyPrefix}\n`)
          .join('')}`,
      );
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

/** One line, hidden on a terminal; empty without input. Throws when the terminal input is ended. */
async function readPassword(): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write('New password (empty: one is generated): ');
  const lines = createInterface({ input: process.stdin, output: hidden, terminal });
  try {
    for await (const line of lines) return line;
    // Ctrl-C or Ctrl-D.
    if (terminal) throw new Unprocessable('No password was given: nothing is changed');
    return '';
  } finally {
    lines.close();
    if (terminal) process.stderr.write('\n');
  }
}

/** The user of this login as the caller: access to the database is access to every account. */
export async function personOf(app: App, tenant: string, login: string): Promise<Caller> {
  const found = await acrossTenants(app.db, 'login', (q) =>
    q
      .selectFrom('svc_local_credential as credential')
      .innerJoin('svc_tenant_membership as member', 'member.principalId', 'credential.principalId')
      .innerJoin('svc_tenant as tenant', 'tenant.id', 'member.tenantId')
      .select(['member.tenantId', 'member.principalId', 'credential.loginName as name'])
      .where('tenant.tenantCode', '=', tenant)
      .where('credential.loginNameNormalized', '=', normalizeLogin(login))
      .executeTakeFirst(),
  );
  if (!found) throw new ConfigError(`there is no login ${login} in the tenant ${tenant}`);
  const { codes: permissions } = await permissionsOf(app, found.tenantId, found.principalId);
  return { ...found, principalType: 'USER', via: 'system', permissions };
}
