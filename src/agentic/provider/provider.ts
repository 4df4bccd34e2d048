import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { App, Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input, shared } from '../../core/input/input.ts';
import { Name, Text } from '../../core/input/text.ts';
import { seal } from '../../core/secret/sealed.ts';
import type { Queries } from '../../db/connect.ts';
import type { ModelProviderTable } from '../../db/schema/agentic.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { lockUnusedRow } from '../../entity/in-use.ts';
import { type Audited, auditedOf } from './audited.ts';
import { BaseUrl, expectReachable } from './base-url.ts';
import { clearDefault, DefaultFlag } from './default-flag.ts';
import { placeOf, ProviderType } from './provider-type.ts';

const MAX_PROVIDERS = 100;

/** A tenant's account at a vendor (docs/specification/assistant.md, Models); no answer holds the key. */
export type ModelProvider = Audited & {
  name: string;
  providerType: keyof typeof ProviderType;
  baseUrl: string;
  /** Model offered while the provider has no model configs. */
  model: string;
  hasApiKey: boolean;
};

const providerOf = (row: Selectable<ModelProviderTable>): ModelProvider => ({
  ...auditedOf(row),
  name: row.name,
  providerType: nameOf(ProviderType, row.providerType),
  baseUrl: row.baseUrl,
  model: row.model,
  hasApiKey: row.apiKey !== '',
});

/** Sent in an HTTP header. */
const ApiKey = z
  .string()
  .max(2_048)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces');

export const ModelName = Text(128).trim();

const fields = {
  ...shared,
  model: ModelName.optional(),
  defaultFlag: flag(DefaultFlag).optional(),
};

export const AddProvider = input({
  ...fields,
  name: Name,
  providerType: flag(ProviderType).default(ProviderType.OPENAI_COMPATIBLE),
  baseUrl: BaseUrl,
  apiKey: ApiKey.nullish(),
});

export const UpdateProvider = input({
  ...fields,
  id: Id,
  name: Name.optional(),
  providerType: flag(ProviderType).optional(),
  baseUrl: BaseUrl.optional(),
  apiKey: ApiKey.nullish().describe('left out or empty: it stays; null: it is removed'),
});

export const ListProviders = input({});

/** The row, locked for update; throws NotFound. */
async function requireProvider(
  q: Queries,
  tenantId: string,
  id: string,
): Promise<Selectable<ModelProviderTable>> {
  const row = await q
    .selectFrom('svc_model_provider')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Model provider');
  return row;
}

/** All providers, enabled or not; the default first. */
export const list: Operation<z.output<typeof ListProviders>, ModelProvider[]> = (
  app,
  { tenantId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_model_provider')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('defaultFlag', 'desc')
      .orderBy('id')
      .limit(MAX_PROVIDERS)
      .execute();
    return rows.map(providerOf);
  });

/** Adds a provider and answers its id; throws Conflict, and 422 for an address that is not allowed. */
export const add: Operation<z.output<typeof AddProvider>, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { apiKey, ...row } = given;
  expectReachable(app, row.baseUrl);
  const adding = inTenant(app.db, tenantId, async (q) => {
    await expectRoom(q, 'svc_model_provider', tenantId, MAX_PROVIDERS);
    if (row.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_provider', tenantId);
    const { id } = await q
      .insertInto('svc_model_provider')
      .values({ ...row, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (apiKey) await keep(app, q, { tenantId, id }, apiKey);
    return id;
  });
  return conflictIfTaken('model provider', adding);
};

/** Sealed after the insert, because the sealed key is bound to the id of its row. */
async function keep(
  { keys }: App,
  q: Queries,
  row: { tenantId: string; id: string },
  apiKey: string,
): Promise<void> {
  await q
    .updateTable('svc_model_provider')
    .set({ apiKey: seal(keys.providerKey, placeOf(row), apiKey) })
    .where('tenantId', '=', row.tenantId)
    .where('id', '=', row.id)
    .execute();
}

/** A new address without a new key deletes the stored key, else the key would go to a foreign host. */
export const update: Operation<z.output<typeof UpdateProvider>, ModelProvider> = async (
  app,
  caller,
  { id, apiKey, ...change },
) => {
  const { tenantId } = caller;
  if (change.baseUrl !== undefined) expectReachable(app, change.baseUrl);
  const updating = inTenant(app.db, tenantId, async (q) => {
    // Before any row lock: two concurrent changes of the default would deadlock.
    if (change.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_provider', tenantId);
    const stored = await requireProvider(q, tenantId, id);
    const isMoved = change.baseUrl !== undefined && change.baseUrl !== stored.baseUrl;
    const forgets = apiKey === null || (isMoved && !apiKey);
    const row = await q
      .updateTable('svc_model_provider')
      .set({
        ...change,
        ...(forgets ? { apiKey: '' } : {}),
        ...(apiKey ? { apiKey: seal(app.keys.providerKey, placeOf(stored), apiKey) } : {}),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return providerOf(row);
  });
  return conflictIfTaken('model provider', updating);
};

/** Refused with Conflict while it has model configs. */
export const remove: Operation<ById, boolean> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnusedRow(q, 'svc_model_provider', tenantId, id, [
      { table: 'svc_model_config', column: 'provider_id', what: 'the model', name: sql`model` },
    ]);
    await q
      .deleteFrom('svc_model_provider')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return true;
  });

/** Bounds the rows of a tenant, so that lists stay complete; throws Unprocessable. */
export async function expectRoom(
  q: Queries,
  table: 'svc_model_provider' | 'svc_model_config',
  tenantId: string,
  limit: number,
): Promise<void> {
  const { count } = await q
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) throw new Unprocessable(`There are ${limit} already, the limit`);
}
