import type { Operation } from '../../app.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import type { ById } from '../../core/input/input.ts';
import { inTenant } from '../../db/tenant.ts';
import { openProvider } from './provider-type.ts';

/** Models that the vendor lists with the stored key, or the reason why it lists none. */
export type ProviderCheck = { ok: boolean; models: string[]; reason: string | null };

/**
 * Lists a provider's models with its stored key, through the vendor's own client; a vendor's failure is an
 * answer with `ok: false`, not an error. Throws NotFound.
 */
export const check: Operation<ById, ProviderCheck> = async (app, { tenantId }, { id }) => {
  const row = await inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_model_provider')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  if (!row) throw new NotFound('Model provider');
  const failed = (reason: string): ProviderCheck => ({ ok: false, models: [], reason });
  const provider = openProvider(app, row);
  if (!provider) return failed('The stored key of the model provider cannot be opened');
  try {
    // The provider bounds the call itself; no signal of the caller is passed on.
    const models = await provider.models(new AbortController().signal);
    return { ok: true, models, reason: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    app.log.warn({ provider: row.name, error }, 'model provider did not list its models');
    return failed(error.message);
  }
};
