import { inTenant } from '../../src/db/tenant.ts';
import type { World } from './app.ts';
import type { Session } from './session.ts';

/** Adds a model provider over REST and answers its id. */
export const addProvider = (session: Session, body: object): Promise<string> =>
  session.data('/api/v3/agentic/provider/config/add', body).then(String);

/** Makes the stored key one of another installation, which nobody here can open. */
export const breakKey = (world: World, { tenantId }: Session, id: string): Promise<void> =>
  inTenant(world.app.db, tenantId, async (q) => {
    await q
      .updateTable('svc_model_provider')
      .set({ apiKey: `v1.${Buffer.alloc(60, 7).toString('base64url')}` })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
