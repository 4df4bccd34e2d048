import { z } from 'zod';

import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller, Operation } from '../../../kernel/app/app.ts';
import { rowOf } from '../../../kernel/entity/row.ts';
import { AppError } from '../../../kernel/errors.ts';
import { Id } from '../../../kernel/input/id.ts';
import { input } from '../../../kernel/input/input.ts';
import { DEFAULT_CAPABILITIES } from '../capabilities.ts';
import { isEmpty, learnedOf, parametersOf } from '../parameters.ts';
import { openProvider } from '../provider-type.ts';
import { ModelName } from '../provider.ts';
import { reasonFor } from '../reason.ts';
import type { Model } from '../usable-models.ts';
import { Try, tryAll } from './try.ts';

export const CheckProvider = input({
  id: Id,
  model: ModelName.min(1, 'must not be blank')
    .optional()
    .describe('Is asked a few short questions, for a minute at most; its vendor may bill them'),
});

/** Models that the vendor lists with the stored key, or the reason why it lists none; what a model can, where one was named. */
export const ProviderCheck = z.object({
  ok: z.boolean(),
  models: z.array(z.string().meta({ examples: ['qwen3:8b'] })),
  reason: z.string().nullable(),
  tries: z.array(Try).describe('What the named model was asked for; none where none was named'),
});
type ProviderCheck = z.output<typeof ProviderCheck>;

/**
 * Lists a provider's models with its stored key, through the vendor's own client, and tries the named one; a vendor's
 * failure is an answer with `ok: false`, not an error. Throws NotFound.
 */
export const check: Operation<z.output<typeof CheckProvider>, ProviderCheck> = async (
  app,
  caller,
  { id, model: name },
) => {
  const { tenantId } = caller;
  const [row, config] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      rowOf(q, 'svc_model_provider', tenantId, id),
      q
        .selectFrom('svc_model_config')
        .select(['parameters', 'reasoning', 'maxTokens'])
        .where('tenantId', '=', tenantId)
        .where('providerId', '=', id)
        .where('model', '=', name ?? '')
        .executeTakeFirst(),
    ]),
  );
  const provider = await openProvider(app, row);
  if (!provider) {
    const reason = 'The stored key of the model provider cannot be opened';
    return { ok: false, models: [], reason, tries: [] };
  }
  const listed = await listOf(app, caller, row.name, provider);
  if (name === undefined) return { ...listed, tries: [] };
  const map = parametersOf(config?.parameters);
  const model: Model = {
    name,
    label: name,
    providerName: row.name,
    provider,
    capabilities: { ...DEFAULT_CAPABILITIES, reasoning: config?.reasoning ?? false },
    providerId: row.id,
    // Its failures are no failures of the chat.
    health: `check ${id} ${app.clock.now()}`,
    parameters: isEmpty(map) ? [] : [map],
    learned: learnedOf(row.learned, name),
    price: null,
    fallbackOrder: 0,
    since: 0,
  };
  return { ...listed, tries: await tryAll(app, caller, model) };
};

async function listOf(
  app: App,
  caller: Caller,
  name: string,
  provider: Model['provider'],
): Promise<Omit<ProviderCheck, 'tries'>> {
  try {
    // The provider bounds the call itself; no signal of the caller is passed on.
    const models = await provider.models(new AbortController().signal);
    return { ok: true, models, reason: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    app.log.warn({ provider: name, error }, 'model provider did not list its models');
    return { ok: false, models: [], reason: error.message + reasonFor(caller, error) };
  }
}
