import type { Provider } from '../../../providers/request/provider.ts';
import type { App } from '../../kernel/app/app.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { unseal } from '../../kernel/secret.ts';
import { timeoutsOf } from './timeouts.ts';

/** svc_model_provider.provider_type (docs/specification/assistant.md, Assistant records). */
export const ProviderType = { OPENAI_COMPATIBLE: 0, ANTHROPIC: 1 } as const;

/** The types as they may be given: other clients write these two names in lower case. */
export const GivenProviderType = { ...ProviderType, 'openai-compatible': 0, anthropic: 1 } as const;

const dialects = {
  OPENAI_COMPATIBLE: 'openai-compatible',
  ANTHROPIC: 'anthropic',
} as const satisfies Record<keyof typeof ProviderType, string>;

/** The code of the providers, in one piece. */
export const providersOf = onFirstUse(async () => {
  const { providers } = await import('../../../providers/index.ts');
  return providers;
});

type Row = {
  id: string;
  tenantId: string;
  providerType: number;
  baseUrl: string;
  apiKey: string;
  timeouts: Record<string, unknown>;
};

/** Place that a sealed key is bound to: copied into another row or tenant, the text cannot be opened. */
export const placeOf = ({ tenantId, id }: Pick<Row, 'tenantId' | 'id'>) => ({
  table: 'svc_model_provider',
  tenantId,
  id,
});

/** Opens a row's provider behind the tenants' egress guard; null when its key cannot be opened. */
export async function openProvider(
  { clock, egress, keys }: App,
  row: Row,
): Promise<Provider | null> {
  const apiKey = row.apiKey === '' ? '' : unseal(keys.providerKey, placeOf(row), row.apiKey);
  if (apiKey === null) return null;
  const open = (await providersOf())[dialects[nameOf(ProviderType, row.providerType)]];
  const timeouts = timeoutsOf(row.timeouts);
  return open({ baseUrl: row.baseUrl, apiKey, clock, egress: egress.provider, timeouts });
}
