import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { seal } from '../../src/core/sealed.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { World } from '../support/app.ts';
import { type ChatWorld, startChatWorld } from '../support/chat-world.ts';
import { chat, chatAnswer, ErrorBody, question } from '../support/chat.ts';
import { type FakeModel, say } from '../support/model.ts';
import type { Session } from '../support/session.ts';

let chatWorld: ChatWorld;
let world: World;
let model: FakeModel;
let session: Session;
let answer: ChatWorld['answer'];

beforeAll(async () => {
  chatWorld = await startChatWorld();
  ({ world, model, answer } = chatWorld);
  session = world.admin;
});
afterAll(() => chatWorld.stop());
beforeEach(() => {
  answer(() => say('All is well.'));
});

describe('the choice of a model', () => {
  it("takes the tenant's own provider before the fallback, its key decrypted", async () => {
    const tenant = await world.tenant('chooser');
    await addProvider(tenant, { name: 'ours', model: 'own-1', apiKey: 'own-key' });
    await addProvider(tenant, { name: 'other', model: 'own-2', apiKey: 'other-key' });
    const { completion } = await chat(tenant, 'hi');
    expect(completion.model).toBe('own-1');
    expect(model.keys.at(-1)).toBe('Bearer own-key');
    expect((await chat(tenant, 'hi', { model: 'own-2' })).completion.model).toBe('own-2');
    expect((await chat(tenant, 'hi', { model: 'gpt-unknown' })).completion.model).toBe('own-1');
    expect((await chat(session, 'hi')).completion.model).toBe('fake-1');
    const listed = await tenant.data('/api/v3/agentic/model/list');
    expect(listed).toEqual([
      { model: 'own-1', providerName: 'ours', defaultFlag: true },
      { model: 'own-2', providerName: 'other', defaultFlag: false },
    ]);
  });

  it('is 503 with the reason where there is none', async () => {
    const tenant = await world.tenant('keyless');
    await addProvider(tenant, { name: 'broken', model: 'm', apiKey: 'k', boundTo: '0' });
    const { status, body } = await chatAnswer(tenant, question('hi', { stream: true }));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.message).toContain('key');
  });
});

async function addProvider(
  { tenantId }: Session,
  {
    name,
    model: modelName,
    apiKey,
    boundTo,
  }: Record<'name' | 'model' | 'apiKey', string> & {
    boundTo?: string;
  },
): Promise<void> {
  await inTenant(world.app.db, tenantId, async (q) => {
    const { id } = await q
      .insertInto('svc_model_provider')
      .values({ tenantId, name, providerType: 0, baseUrl: model.baseUrl, model: modelName })
      .returning('id')
      .executeTakeFirstOrThrow();
    const stored = seal(
      world.app.keys.providerKey,
      { table: 'svc_model_provider', tenantId, id: boundTo ?? id },
      apiKey,
    );
    await q
      .updateTable('svc_model_provider')
      .set({ apiKey: stored })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
}
