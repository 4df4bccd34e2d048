import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import { openProvider } from './provider-type.ts';
import { reasonFor } from './reason.ts';

/** Models that the vendor lists with the stored key, or the reason why it lists none. */
export const ProviderCheck = z.object({
  ok: z.boolean(),
  models: z.array(z.string().meta({ examples: ['qwen3:8b'] })),
  reason: z.string().nullable(),
});
type ProviderCheck = z.output<typeof ProviderCheck>;

/**
 * Lists a provider's models with its stored key, through the vendor's own client; a vendor's failure is an
 * answer with `ok: false`, not an error. Throws NotFound.
 */
export const check: Operation<ById, ProviderCheck> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) =>
    rowOf(q, 'svc_model_provider', tenantId, id),
  );
  const failed = (reason: string): ProviderCheck => ({ ok: false, models: [], reason });
  const provider = await openProvider(app, row);
  if (!provider) return failed('The stored key of the model provider cannot be opened');
  try {
    // The provider bounds the call itself; no signal of the caller is passed on.
    const models = await provider.models(new AbortController().signal);
    return { ok: true, models, reason: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    app.log.warn({ provider: row.name, error }, 'model provider did not list its models');
    return failed(error.message + reasonFor(caller, error));
  }
};
