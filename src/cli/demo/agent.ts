import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { Api } from './api.ts';

export const AGENT_NAME = 'demo-agent';
const CLIENT_NAME = 'Demo agent';
/** What its connection allows it: to look, and to propose. */
const TOOLS = [
  'searchDevices',
  'searchPoints',
  'getLatestPointValue',
  'getPointValueHistory',
  'searchAlarms',
  'writePointValue',
  'lookupActionById',
];
const SCOPES = ['svc:read', 'svc:propose'];

/** The account of the demo's agent and the client that acts for it. */
export type Agent = { tenantId: string; principalId: string; clientId: string; scopes: string[] };

const Registered = z.object({ client_id: z.string() });
const Connected = z.object({ id: z.string() });

/** Adds a service account, a client that acts for it and its connection, as an administrator would. */
export async function addAgent(app: App, api: Api): Promise<void> {
  const { tenantId } = api.caller;
  if (await findAccount(app, tenantId)) return;
  await api.run('auth', '/service_account/add', {
    serviceAccountName: AGENT_NAME,
    purpose: 'Demo: proposes a set-point, which a person decides about',
    remark: 'Demo',
  });
  const account = await findAccount(app, tenantId);
  if (!account) throw new Error('the service account of the demo was not added');
  const { client_id: clientId } = Registered.parse(
    await api.run('auth', '/mcp/client/register', {
      client_name: CLIENT_NAME,
      scope: SCOPES.join(' '),
      service_account_principal_id: account.principalId,
    }),
  );
  const { id: connectionId } = Connected.parse(
    await api.run('auth', '/mcp/connection/add', {
      connectionName: CLIENT_NAME,
      clientId,
      principalId: account.principalId,
      remark: 'Demo',
    }),
  );
  await api.run('auth', '/mcp/connection/tools/replace', { connectionId, toolIds: TOOLS });
}

/** Null as soon as its account is disabled or deleted, or its client deleted: then it proposes no more. */
export async function findAgent(app: App, tenantId: string): Promise<Agent | null> {
  const account = await findAccount(app, tenantId);
  if (!account || account.enableFlag !== EnableFlag.ENABLE) return null;
  const { principalId } = account;
  const client = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_oauth_client')
      .select(['clientId', 'scopes'])
      .where('tenantId', '=', tenantId)
      .where('serviceAccountPrincipalId', '=', principalId)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .orderBy('id')
      .executeTakeFirst(),
  );
  if (!client) return null;
  return { tenantId, principalId, clientId: client.clientId, scopes: client.scopes.split(' ') };
}

const findAccount = (app: App, tenantId: string) =>
  inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_service_account')
      .select(['principalId', 'enableFlag'])
      .where('tenantId', '=', tenantId)
      .where('serviceAccountName', '=', AGENT_NAME)
      .executeTakeFirst(),
  );
