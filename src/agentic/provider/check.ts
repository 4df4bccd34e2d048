import type { Operation } from '../../app.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import type { ById } from '../../core/input/input.ts';
import { inTenant } from '../../db/tenant.ts';
import { openProvider } from './provider-type.ts';

/** What the vendor offers with the stored key, or why it does not. */
export type ProviderCheck = { ok: boolean; models: string[]; reason: string | null };

/**
 * Asks a provider with its stored key for its models, through the vendor's own client; that it fails
 * is the answer, not an error. Throws NotFound.
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
    // Bounded by the provider itself; nobody else can end it.
    const models = await provider.models(new AbortController().signal);
    return { ok: true, models, reason: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    app.log.warn({ provider: row.name, error }, 'a model provider did not list its models');
    return failed(error.message);
  }
};
