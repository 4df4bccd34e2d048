import { providers } from '../../../providers/index.ts';
import type { Provider } from '../../../providers/provider.ts';
import type { App } from '../../app.ts';
import { unseal } from '../../core/secret/sealed.ts';

/**
 * svc_model_provider.provider_type (docs/specification/assistant.md, Assistant records); in lower case as
 * other clients write it.
 */
export const ProviderType = {
  OPENAI_COMPATIBLE: 0,
  ANTHROPIC: 1,
  'openai-compatible': 0,
  anthropic: 1,
} as const;

const dialects = [providers['openai-compatible'], providers.anthropic];

type Row = {
  id: string;
  tenantId: string;
  providerType: number;
  baseUrl: string;
  apiKey: string;
};

/** Where the key of a provider is kept: sealed text copied into another row or tenant opens nothing. */
export const placeOf = ({ tenantId, id }: Pick<Row, 'tenantId' | 'id'>) => ({
  table: 'svc_model_provider',
  tenantId,
  id,
});

/** The provider of a row, reached through the guarded way out; null when its key cannot be opened. */
export function openProvider({ clock, egress, keys }: App, row: Row): Provider | null {
  const apiKey = row.apiKey === '' ? '' : unseal(keys.providerKey, placeOf(row), row.apiKey);
  const open = dialects[row.providerType];
  if (apiKey === null || !open) return null;
  return open({ baseUrl: row.baseUrl, apiKey, clock, egress: egress.provider });
}
