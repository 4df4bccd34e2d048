import { z } from 'zod';

import type { Provider } from '../../../providers/request/provider.ts';
import type { App } from '../../kernel/app/app.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { unseal } from '../../kernel/secret.ts';
import { headersOf, placeOf, proxyOf } from './connection.ts';

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
  headers: string;
  proxy: string;
  proxyLogin: string;
  timeouts: Record<string, unknown>;
};

/** Opens a row's provider behind the tenants' egress guard; null when a secret of it cannot be opened. */
export async function openProvider(
  { clock, egress, keys }: App,
  row: Row,
): Promise<Provider | null> {
  const apiKey = row.apiKey === '' ? '' : unseal(keys.providerKey, placeOf(row), row.apiKey);
  const headers = headersOf(keys, row);
  const proxy = proxyOf(keys, row);
  if (apiKey === null || headers === null || proxy === undefined) return null;
  const open = (await providersOf())[dialects[nameOf(ProviderType, row.providerType)]];
  const timeouts = timeoutsOf(row.timeouts);
  const provider = open({
    baseUrl: row.baseUrl,
    apiKey,
    headers,
    clock,
    egress: egress.provider,
    proxy,
    timeouts,
  });
  return patient(provider, timeouts);
}

/** Adds `patienceMs` to a provider: its longest time limit, by which a turn may last longer. */
export function patient(
  provider: Provider,
  { firstTokenMs = 0, idleMs = 0, totalMs = 0 }: { [K in keyof Timeouts]?: number },
): Provider {
  return { ...provider, patienceMs: Math.max(firstTokenMs, idleMs, totalMs) };
}

const Ms = z.number().int().min(100).max(600_000).optional();

/** How long the answers of a provider may take, in milliseconds; a limit that is left out is the default. */
export const Timeouts = z.strictObject({
  connectMs: Ms.describe('Until the connection is there; 10 s by default'),
  firstTokenMs: Ms.describe('Until the first text or call; none by default'),
  idleMs: Ms.describe('Without a byte; 60 s by default, 120 s where the model thinks'),
  totalMs: Ms.describe('Until the end of one answer; none by default'),
});
export type Timeouts = z.output<typeof Timeouts>;

/** Stored limits; the defaults where they cannot be read. */
export function timeoutsOf(stored: unknown): { [K in keyof Timeouts]?: number } {
  const { connectMs, firstTokenMs, idleMs, totalMs } = Timeouts.safeParse(stored).data ?? {};
  return {
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(totalMs === undefined ? {} : { totalMs }),
  };
}
