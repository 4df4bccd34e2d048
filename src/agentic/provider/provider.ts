import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { ModelProviderTable } from '../../db/schema/agentic.ts';
import { touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import type { HttpProxy } from '../../kernel/egress/tunnel.ts';
import { AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { lockUnusedRow } from '../../kernel/entity/in-use.ts';
import { lockedRow } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { secret } from '../../kernel/input/secret.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { seal } from '../../kernel/secret.ts';
import {
  BaseUrl,
  expectReachable,
  GivenProxy,
  headerColumns,
  Headers,
  placeOf,
  proxyColumns,
} from './connection.ts';
import { DefaultFlag, clearDefault } from './default-flag.ts';
import { Parameters, allLearned } from './parameters.ts';
import { GivenProviderType, ProviderType, Timeouts, timeoutsOf } from './provider-type.ts';

const MAX_PROVIDERS = 100;

/** A tenant's account at a vendor (docs/specification/assistant.md, Models); no answer holds the key. */
export const ModelProvider = stored('ModelProvider', {
  tenantId: AnswerId,
  name: z.string().meta({ examples: ['local'] }),
  providerType: named(ProviderType),
  baseUrl: z.string().meta({ examples: ['http://127.0.0.1:11434/v1'] }),
  model: z.string().meta({
    description: 'Offered while the provider has no model configs',
    examples: ['qwen3:8b'],
  }),
  hasApiKey: z.boolean(),
  headerNames: z
    .array(z.string())
    .describe('Headers that are sent with each request; no answer has their values'),
  proxy: z.string().meta({
    description: 'Through which its requests go, without the login; empty: none',
    examples: ['http://proxy.plant.example:3128'],
  }),
  timeouts: Timeouts,
  learned: z
    .record(z.string(), Parameters)
    .describe('By model: what its refusals have shown, and is sent in that form since'),
  defaultFlag: named(DefaultFlag),
  enableFlag: named(EnableFlag),
});
type ModelProvider = z.output<typeof ModelProvider.schema>;

const providerOf = (row: Selectable<ModelProviderTable>): ModelProvider =>
  ModelProvider.of({
    ...row,
    hasApiKey: row.apiKey !== '',
    timeouts: timeoutsOf(row.timeouts),
    learned: allLearned(row.learned),
  });

/** Sent in an HTTP header. */
const ApiKey = secret(
  z
    .string()
    .max(2_048)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces'),
).meta({ examples: ['sk-steam-kettle-41'] });

const GivenHeaders = secret(Headers).meta({
  description: 'Sent with each request, before those of the key: what a gateway wants',
  examples: [{ 'x-gateway-project': 'plant' }],
});

const Proxied = secret(GivenProxy).meta({
  description: 'An HTTP proxy for its requests, with its login where it wants one',
  examples: ['http://plant:steam-kettle-41@proxy.plant.example:3128'],
});

export const ModelName = Text(128).trim();

const fields = {
  ...shared,
  model: ModelName.optional(),
  timeouts: Timeouts.optional(),
  defaultFlag: flag(DefaultFlag).optional(),
};

export const AddProvider = input({
  ...fields,
  name: Name,
  providerType: flag(GivenProviderType).default(ProviderType.OPENAI_COMPATIBLE),
  baseUrl: BaseUrl,
  apiKey: ApiKey.nullish(),
  headers: GivenHeaders.nullish(),
  proxy: Proxied.nullish(),
});

export const UpdateProvider = input({
  ...fields,
  id: Id,
  name: Name.optional(),
  providerType: flag(GivenProviderType).optional(),
  baseUrl: BaseUrl.optional(),
  apiKey: ApiKey.nullish().describe('left out or empty: it stays; null: it is removed'),
  headers: GivenHeaders.nullish().describe('all of them; left out: they stay; null: none'),
  proxy: Proxied.nullish().describe(
    'left out: it stays; without a login the one of the same address stays; null: none',
  ),
});

export const ListProviders = input({});

/** All providers, enabled or not; the default first. */
export const list: Operation<z.output<typeof ListProviders>, ModelProvider[]> = (
  app,
  { tenantId },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
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
  const { apiKey, headers, proxy, timeouts, ...fieldsOf } = given;
  const row = { ...fieldsOf, ...jsonOf({ timeouts }) };
  expectReachable(app, given);
  const adding = inTenant(app.db, tenantId, async (q) => {
    await expectRoom(q, 'svc_model_provider', tenantId, MAX_PROVIDERS);
    if (row.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_provider', tenantId);
    const id = await addRow(q, app, caller, 'svc_model_provider', row);
    if (apiKey || headers || proxy)
      await keep(app, q, { tenantId, id }, { apiKey, headers, proxy });
    return id;
  });
  return conflictIfTaken('model provider', adding);
};

const jsonOf = ({ timeouts }: { timeouts: Timeouts | undefined }): { timeouts?: string } =>
  timeouts === undefined ? {} : { timeouts: JSON.stringify(timeouts) };

type Secrets = {
  apiKey: string | null | undefined;
  headers: Headers | null | undefined;
  proxy: HttpProxy | null | undefined;
};

/** Sealed after the insert, because what is sealed is bound to the id of its row. */
async function keep(
  { keys }: App,
  q: Queries,
  row: { tenantId: string; id: string },
  { apiKey, headers, proxy }: Secrets,
): Promise<void> {
  await q
    .updateTable('svc_model_provider')
    .set({
      ...(apiKey ? { apiKey: seal(keys.providerKey, placeOf(row), apiKey) } : {}),
      ...(headers ? headerColumns(keys, row, headers) : {}),
      ...(proxy ? proxyColumns(keys, row, proxy) : {}),
    })
    .where('tenantId', '=', row.tenantId)
    .where('id', '=', row.id)
    .execute();
}

/**
 * A new address without a new key deletes the stored key, else the key would go to a foreign host; likewise the headers,
 * and likewise at a new proxy that reads them, because the address is one without TLS.
 */
export const update: Operation<z.output<typeof UpdateProvider>, ModelProvider> = async (
  app,
  caller,
  { id, apiKey, headers, proxy, timeouts, ...change },
) => {
  const { tenantId } = caller;
  expectReachable(app, { baseUrl: change.baseUrl, proxy });
  const updating = inTenant(app.db, tenantId, async (q) => {
    // Before any row lock: two concurrent changes of the default would deadlock.
    if (change.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_provider', tenantId);
    const before = await lockedRow(q, 'svc_model_provider', tenantId, id);
    const isMoved = change.baseUrl !== undefined && change.baseUrl !== before.baseUrl;
    const isRead =
      leadsElsewhere(before, proxy) && (change.baseUrl ?? before.baseUrl).startsWith('http:');
    const forgets = apiKey === null || ((isMoved || isRead) && !apiKey);
    const row = await q
      .updateTable('svc_model_provider')
      .set({
        ...change,
        ...jsonOf({ timeouts }),
        // Another vendor accepts other requests.
        ...(isMoved ? { learned: '{}' } : {}),
        ...(forgets ? { apiKey: '' } : {}),
        ...(apiKey ? { apiKey: seal(app.keys.providerKey, placeOf(before), apiKey) } : {}),
        ...(headers !== undefined || isMoved || isRead
          ? headerColumns(app.keys, before, headers ?? {})
          : {}),
        ...(proxy === undefined || isStored(before, proxy)
          ? {}
          : proxyColumns(app.keys, before, proxy)),
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

type Stored = { proxy: string };

/** A client reads a proxy without its login: sent back like that, the proxy keeps the stored login. */
const isStored = (before: Stored, given: HttpProxy | null): boolean =>
  given !== null && given.url === before.proxy && given.login === '';

const leadsElsewhere = (before: Stored, given: HttpProxy | null | undefined): boolean =>
  Boolean(given) && given?.url !== before.proxy;

/** Refused with Conflict while it has model configs. */
export const remove: Operation<ById, true> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q): Promise<true> => {
    await lockUnusedRow(q, 'svc_model_provider', tenantId, id, [
      { table: 'svc_model_config', column: 'provider_id', what: 'the model', name: sql`model` },
    ]);
    await deleteRow(q, 'svc_model_provider', tenantId, id);
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
