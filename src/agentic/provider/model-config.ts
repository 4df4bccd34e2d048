import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { hold, lockedRow } from '../../kernel/entity/row.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { Price, priceOf } from '../accounting/price.ts';
import { Capabilities } from './capabilities.ts';
import { clearDefault, DefaultFlag } from './default-flag.ts';
import { Parameters, parametersOf } from './parameters.ts';
import { expectRoom, ModelName } from './provider.ts';

const MAX_CONFIGS = 200;

/** One model a tenant offers, with what it can do (docs/specification/assistant.md, Models). */
export const ModelConfig = stored('ModelConfig', {
  tenantId: AnswerId,
  model: z.string().meta({ examples: ['qwen3:8b'] }),
  label: z.string().meta({ examples: ['Qwen 3'] }),
  providerId: AnswerId,
  providerName: z.string().meta({ examples: ['local'] }),
  ...Capabilities.shape,
  temperature: z.number().meta({ examples: [0.2] }),
  maxTokens: z
    .number()
    .int()
    .meta({ examples: [4096] }),
  parameters: Parameters,
  price: Price.nullable(),
  fallbackOrder: z
    .number()
    .int()
    .describe('Its place among the models asked when another one does not answer; 0: it is not'),
  defaultFlag: named(DefaultFlag),
  enableFlag: named(EnableFlag),
});
type ModelConfig = z.output<typeof ModelConfig.schema>;

const fields = {
  ...shared,
  label: Text(64).optional(),
  stream: z.boolean().optional(),
  toolCall: z.boolean().optional(),
  vision: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  parameters: Parameters.optional(),
  price: Price.nullish().describe('null: it is removed'),
  fallbackOrder: z.number().int().min(0).max(99).optional(),
  defaultFlag: flag(DefaultFlag).optional(),
};

const Model = ModelName.min(1, 'must not be blank');

export const AddModelConfig = input({ ...fields, model: Model, providerId: Id });

export const UpdateModelConfig = input({
  ...fields,
  id: Id,
  model: Model.optional(),
  providerId: Id.optional(),
});

export const ListModelConfigs = input({});

const configsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_model_config')
    .leftJoin('svc_model_provider', (join) =>
      join
        .onRef('svc_model_provider.id', '=', 'svc_model_config.providerId')
        .on('svc_model_provider.tenantId', '=', tenantId),
    )
    .selectAll('svc_model_config')
    .select('svc_model_provider.name as providerName')
    .where('svc_model_config.tenantId', '=', tenantId);

type Row = Awaited<ReturnType<ReturnType<typeof configsOf>['executeTakeFirstOrThrow']>>;

const configOf = (row: Row): ModelConfig =>
  ModelConfig.of({
    ...row,
    providerName: row.providerName ?? '',
    parameters: parametersOf(row.parameters),
    price: priceOf(row.price),
  });

type Maps = { parameters?: Parameters | undefined; price?: Price | null | undefined };

/** The columns of an input; its maps are stored as JSON. */
const columnsOf = <T extends Maps>({ parameters, price, ...columns }: T) => ({
  ...columns,
  ...(parameters === undefined ? {} : { parameters: JSON.stringify(parameters) }),
  ...(price === undefined ? {} : { price: JSON.stringify(price ?? {}) }),
});

const holdProvider = (q: Queries, tenantId: string, id: string) =>
  hold(q, 'svc_model_provider', tenantId, id);

/** All model configs, enabled or not; the default first. */
export const list: Operation<z.output<typeof ListModelConfigs>, ModelConfig[]> = (
  app,
  { tenantId },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const rows = await configsOf(q, tenantId)
      .orderBy('svc_model_config.defaultFlag', 'desc')
      .orderBy('svc_model_config.id')
      .limit(MAX_CONFIGS)
      .execute();
    return rows.map(configOf);
  });

/** Adds a model and answers its id; throws NotFound for the provider, and Conflict. */
export const add: Operation<z.output<typeof AddModelConfig>, string> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdProvider(q, tenantId, given.providerId);
    await expectRoom(q, 'svc_model_config', tenantId, MAX_CONFIGS);
    if (given.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_config', tenantId);
    return addRow(q, app, caller, 'svc_model_config', columnsOf(given));
  });
  return conflictIfTaken('model', adding);
};

export const update: Operation<z.output<typeof UpdateModelConfig>, ModelConfig> = async (
  app,
  caller,
  { id, ...change },
) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    if (change.providerId !== undefined) await holdProvider(q, tenantId, change.providerId);
    if (change.defaultFlag === DefaultFlag.DEFAULT)
      await clearDefault(q, 'svc_model_config', tenantId);
    // If it throws NotFound, the rollback also restores the default that was cleared above.
    await changeRow(q, app, caller, 'svc_model_config', { id, ...columnsOf(change) });
    return configOf(
      await configsOf(q, tenantId).where('svc_model_config.id', '=', id).executeTakeFirstOrThrow(),
    );
  });
  return conflictIfTaken('model', updating);
};

export const remove: Operation<ById, true> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q): Promise<true> => {
    await lockedRow(q, 'svc_model_config', tenantId, id);
    await deleteRow(q, 'svc_model_config', tenantId, id);
    return true;
  });
