/** The whole platform in this process, as `serve` starts it, and a service account's token for it. */
import { z } from 'zod';

import { startPlatform } from '../../../src/main.ts';
import { readSettings } from '../../../src/settings.ts';
import { login, type Session } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { report } from './report.ts';

const [dataDir] = process.argv.slice(2);
const platform = await startPlatform(
  readSettings({
    ...testEnvironment,
    SVC_DEMO: 'off',
    SVC_DATA_DIR: dataDir,
    SVC_LOG_LEVEL: 'info', // what an operator runs with: a line per call is part of its cost
  }),
);
process.once('SIGTERM', () => void platform.stop().then(() => process.exit()));

const { baseUrl } = platform.app.config;
const admin = await login(baseUrl, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
report({ url: `${baseUrl}/mcp`, token: await serviceAccountToken(admin) });

/**
 * The way of a program (docs/specification/authorization.md, Client credentials): an account, a client of it,
 * its client-credentials token (15 min).
 */
async function serviceAccountToken(session: Session): Promise<string> {
  const id = await session.data('/api/v3/auth/service_account/add', {
    serviceAccountName: 'bench',
  });
  const account = await session.data('/api/v3/auth/service_account/get_by_id', undefined, {
    id: String(id),
  });
  const { principalId } = z.object({ principalId: z.string() }).parse(account);
  const client = await session.data('/api/v3/auth/mcp/client/register', {
    client_name: 'bench',
    grant_types: ['client_credentials'],
    scope: 'svc:read svc:read-device svc:propose svc:chat',
    service_account_principal_id: principalId,
  });
  const { client_id, client_secret } = z
    .object({ client_id: z.string(), client_secret: z.string() })
    .parse(client);
  const answer = await fetch(`${baseUrl}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${baseUrl}/mcp` }),
    signal: AbortSignal.timeout(30_000),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}
