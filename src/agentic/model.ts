import type { z } from 'zod';

import { providers } from '../../providers/index.ts';
import type { Provider } from '../../providers/provider.ts';
import type { App, Caller, Operation } from '../app.ts';
import { Unavailable } from '../core/errors.ts';
import { EnableFlag } from '../core/flag.ts';
import { input } from '../core/input.ts';
import { unseal } from '../core/sealed.ts';
import { inTenant } from '../db/tenant.ts';

/** svc_model_provider.provider_type (SPEC.md, Assistant records); 1 comes with a later step. */
const OPENAI_COMPATIBLE = 0;
const SCRIPTED = 'scripted';
const MAX_PROVIDERS = 100;

/** A model to talk to, with the defaults its configuration gives. */
export type Model = {
  name: string;
  providerName: string;
  provider: Provider;
  temperature?: number;
  maxTokens?: number;
};

type Candidate = Omit<Model, 'provider'> & { isDefault: boolean; open: () => Provider | null };

/**
 * The model for a turn (SPEC.md, Model selection): the tenant's enabled providers, else the fallback
 * variables, else the scripted one in the demo. A name that none of them has means the default one.
 * Throws Unavailable with the reason when there is none.
 */
export async function chooseModel(app: App, caller: Caller, wanted?: string): Promise<Model> {
  const candidates = await candidatesOf(app, caller);
  const named = candidates.filter(({ name, providerName }) =>
    [name, `${providerName}/${name}`].includes(wanted ?? ''),
  );
  for (const { isDefault: _, open, ...model } of [...named, ...candidates]) {
    const provider = open();
    if (provider) return { ...model, provider };
    app.log.error(
      { provider: model.providerName },
      'the stored key of a provider cannot be opened',
    );
  }
  throw new Unavailable(
    candidates.length > 0
      ? 'No model can be used: the stored key of the model provider cannot be opened'
      : 'No model is configured: add a model provider, or set AGENTIC_FALLBACK_OPENAI_API_KEY',
  );
}

/** The tenant's own come first, its default before the others; each kind only where no other is. */
async function candidatesOf(app: App, { tenantId }: Caller): Promise<Candidate[]> {
  const rows = await inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_model_provider')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .where('providerType', '=', OPENAI_COMPATIBLE)
      .orderBy('defaultFlag', 'desc')
      .orderBy('id')
      .limit(MAX_PROVIDERS)
      .execute(),
  );
  const { clock, config, keys } = app;
  const { apiKey, baseUrl, model, temperature, maxTokens } = config.agentic.fallback;
  const usable = rows.filter((row) => row.baseUrl !== '' && row.model !== '');
  if (usable.length > 0) {
    return usable.map((row, index) => ({
      name: row.model,
      providerName: row.name,
      isDefault: index === 0,
      open() {
        const place = { table: 'svc_model_provider', tenantId: row.tenantId, id: row.id };
        const key = row.apiKey === '' ? '' : unseal(keys.providerKey, place, row.apiKey);
        if (key === null) return null;
        return providers['openai-compatible']({ baseUrl: row.baseUrl, apiKey: key, clock });
      },
    }));
  }
  const only = { isDefault: true };
  if (apiKey) {
    const open = () => providers['openai-compatible']({ baseUrl, apiKey, clock });
    return [{ ...only, name: model, providerName: 'fallback', temperature, maxTokens, open }];
  }
  if (!config.demo) return [];
  const open = () => providers.scripted({ baseUrl: '', apiKey: '', clock });
  return [{ ...only, name: SCRIPTED, providerName: SCRIPTED, open }];
}

export type ModelItem = { model: string; providerName: string; defaultFlag: boolean };

export const ListModels = input({});

/** The slim list for a chat box: names only, never addresses or keys. */
export const list: Operation<z.output<typeof ListModels>, ModelItem[]> = async (app, caller) =>
  (await candidatesOf(app, caller)).map(({ name, providerName, isDefault }) => ({
    model: name,
    providerName,
    defaultFlag: isDefault,
  }));
