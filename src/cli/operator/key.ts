import { AddKey, add } from '../../auth/credential/key.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { ConfigError } from '../../kernel/process/config.ts';
import type { Composition } from '../../start/composition.ts';
import { personOf } from './password.ts';

export type KeyOptions = {
  name: string;
  audience: string;
  scopes: string;
  days: string;
  tenant: string;
  login?: string;
  account?: string;
};

/** `svc key`: creates a key in the database and prints it alone to standard output, for scripts. */
export async function keyCommand(
  { createApp, readSettings }: Composition,
  options: KeyOptions,
): Promise<void> {
  const config = readSettings();
  const { account } = options;
  // No message is sent: without the bus, an unreachable broker does not prevent the key.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  try {
    const caller = await personOf(app, options.tenant, options.login ?? config.admin.login);
    const given = {
      keyName: options.name,
      audience: options.audience,
      scopes: options.scopes.split(/[ ,]+/).filter(Boolean),
      expireDays: options.days,
      ...(account === undefined
        ? {}
        : { serviceAccountPrincipalId: await idOf(app, caller, account) }),
    };
    const made = await add(app, caller, AddKey.parse(given));
    process.stderr.write(
      `${made.keyPrefix}… for ${made.audience} until ${made.expireTime}: ${made.scopes.join(' ')}\n`,
    );
    process.stdout.write(`${made.key}\n`);
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

async function idOf(app: App, { tenantId }: Caller, name: string): Promise<string> {
  const found = await acrossTenants(app.db, 'account', (q) =>
    q
      .selectFrom('svc_service_account')
      .select('principalId')
      .where('tenantId', '=', tenantId)
      .where('serviceAccountName', '=', name)
      .executeTakeFirst(),
  );
  if (!found) throw new ConfigError(`there is no service account ${name} in the tenant`);
  return found.principalId;
}
