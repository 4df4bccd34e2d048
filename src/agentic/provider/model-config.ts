import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input, shared } from '../../core/input/input.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import type { ModelConfigTable } from '../../db/schema/agentic.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { type Audited, auditedOf } from './audited.ts';
import { clearDefault, DefaultFlag } from './default-flag.ts';
import { expectRoom, ModelName } from './provider.ts';

const MAX_CONFIGS = 200;

/** One model a tenant offers, with what it can do (docs/specification/assistant.md, Models). */
export type ModelConfig = Audited & {
  model: string;
  label: string;
  providerId: string;
  providerName: string;
  stream: boolean;
  toolCall: boolean;
  vision: boolean;
  reasoning: boolean;
  temperature: number;
  maxTokens: number;
};

const configOf = (
  row: Selectable<ModelConfigTable> & { providerName: string | null },
): ModelConfig => ({
  ...auditedOf(row),
  model: row.model,
  label: row.label,
  providerId: row.providerId,
  providerName: row.providerName ?? '',
  stream: row.stream,
  toolCall: row.toolCall,
  vision: row.vision,
  reasoning: row.reasoning,
  temperature: row.temperature,
  maxTokens: row.maxTokens,
});

const fields = {
  ...shared,
  label: Text(64).optional(),
  stream: z.boolean().optional(),
  toolCall: z.boolean().optional(),
  vision: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
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

const holdProvider = (q: Queries, tenantId: string, id: string) =>
  hold(q, 'svc_model_provider', tenantId, id);

/** All model configs, enabled or not; the default first. */
export const list: Operation<z.output<typeof ListModelConfigs>, ModelConfig[]> = (
  app,
  { tenantId },
) =>
  inTenant(app.db, tenantId, async (q) => {
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
    const { id } = await q
      .insertInto('svc_model_config')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
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
    await q
      .updateTable('svc_model_config')
      .set({ ...change, ...touched(app, caller) })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    const row = await configsOf(q, tenantId)
      .where('svc_model_config.id', '=', id)
      .executeTakeFirst();
    // The rollback also restores the default that was cleared above.
    if (!row) throw new NotFound('Model config');
    return configOf(row);
  });
  return conflictIfTaken('model', updating);
};

export const remove: Operation<ById, boolean> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const { numDeletedRows } = await q
      .deleteFrom('svc_model_config')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new NotFound('Model config');
    return true;
  });
