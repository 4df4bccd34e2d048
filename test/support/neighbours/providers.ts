import { z } from 'zod';

import { inTenant } from '../../../src/db/tenant.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import type { Session } from '../people/session.ts';
import { type ConnectProxy, startConnectProxy } from '../proxies/connect-proxy.ts';
import { startWorld, type World } from '../world/app.ts';
import * as anthropic from './anthropic-model.ts';
import { type AnthropicModel, startAnthropicModel } from './anthropic-model.ts';
import { type FakeModel, type Reply, say, startModel } from './model.ts';

/** Adds a model provider over REST and answers its id. */
export const addProvider = (session: Session, body: object): Promise<string> =>
  session.data('/api/v3/agentic/provider/config/add', body).then(String);

const Provider = z.looseObject({ id: z.string(), name: z.string(), hasApiKey: z.boolean() });

export const listed = async (session: Session) =>
  z.array(Provider).parse(await session.data('/api/v3/agentic/provider/list'));

export const change = (session: Session, body: object) =>
  session.post('/api/v3/agentic/provider/config/update', body);

/** Changes a provider, which must succeed, and answers it. */
export const changed = async (session: Session, body: object) =>
  Provider.parse(await session.data('/api/v3/agentic/provider/config/update', body));

/** Writes into the row itself what no call would. */
export const setRow = (
  { app }: World,
  { tenantId }: Session,
  id: string,
  row: { apiKey: string } | { headers: string } | { baseUrl: string } | { proxyLogin: string },
) =>
  inTenant(app.db, tenantId, async (q) => {
    await q
      .updateTable('svc_model_provider')
      .set(row)
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

/** Makes the stored key one of another installation, which nobody here can open. */
export const breakKey = (world: World, session: Session, id: string): Promise<void> =>
  setRow(world, session, id, { apiKey: `enc:v1:${Buffer.alloc(60, 7).toString('base64url')}` });

const kept = ({ app }: World, { tenantId }: Session, id: string) =>
  inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_model_provider')
      .select(['apiKey', 'headers', 'proxyLogin'])
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  );

/** What the database keeps of a key. */
export const keptKey = async (world: World, session: Session, id: string): Promise<string> =>
  (await kept(world, session, id)).apiKey;

/** Likewise of headers. */
export const keptHeaders = async (world: World, session: Session, id: string): Promise<string> =>
  (await kept(world, session, id)).headers;

/** Likewise of the login of a proxy. */
export const keptLogin = async (world: World, session: Session, id: string): Promise<string> =>
  (await kept(world, session, id)).proxyLogin;

export type ProviderWorld = {
  world: World;
  openai: FakeModel;
  claude: AnthropicModel;
  proxy: ConnectProxy;
  /** Everything the platform logged so far. */
  logged(): string;
  /** What both vendors answer until it is set again; undefined: they behave. */
  answer(reply: Reply | undefined): void;
  stop(): Promise<void>;
};

/** The platform beside a vendor of each dialect and a proxy, the only addresses that are open; no model of its own. */
export async function startProviderWorld(): Promise<ProviderWorld> {
  let current: Reply | undefined;
  const lines: string[] = [];
  const openai = await startModel(() => current ?? say('I am one.'));
  const claude = await startAnthropicModel(() => current ?? anthropic.say('I am another.'));
  const proxy = await startConnectProxy();
  const hosts = [openai, claude].map(({ baseUrl }) => new URL(baseUrl).host);
  const world = await startWorld({
    environment: { SVC_EGRESS_ALLOW: [...hosts, proxy.hostPort].join(',') },
    log: createLog('info', (line) => void lines.push(line)),
  });
  return {
    world,
    openai,
    claude,
    proxy,
    logged: () => lines.join(''),
    answer(reply) {
      current = reply;
    },
    async stop() {
      await world.stop();
      await openai.stop();
      await claude.stop();
      await proxy.stop();
    },
  };
}
