import type { Demanded } from '../../../providers/request/demanded.ts';
import type { Provider } from '../../../providers/request/provider.ts';
import type { Queries } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { type Price, priceOf } from '../accounting/price.ts';
import { type Capabilities, withCapabilities, DEFAULT_CAPABILITIES } from './capabilities.ts';
import { DefaultFlag } from './default-flag.ts';
import { MODEL_HEALTH } from './health.ts';
import { isEmpty, learnedOf, type Parameters, parametersOf } from './parameters.ts';
import { openProvider, providersOf, patient } from './provider-type.ts';

const SCRIPTED = 'scripted';
const MAX_PROVIDERS = 100;
const MAX_CONFIGS = 200;

/** A usable model with the defaults of its configuration. */
export type Model = {
  name: string;
  label: string;
  providerName: string;
  provider: Provider;
  capabilities: Capabilities;
  temperature?: number;
  maxTokens?: number;
  /** Row of its provider; null for one of the environment. */
  providerId: string | null;
  /** Key of its provider in app.of(MODEL_HEALTH); another one after each change of the provider. */
  health: string;
  /** The tenant's own map. */
  parameters: readonly Parameters[];
  /** What refusals of its vendor have shown. */
  learned: Parameters;
  /** What a refusal of this turn has shown that its vendor wants beside calls. */
  demanded?: Demanded;
  /** How many past turns of a conversation fit, as its context or refusals of this turn have shown. */
  pastTurns?: number;
  price: Price | null;
  /** Its place among those that are asked when another one does not answer; 0: it is not. */
  fallbackOrder: number;
  /** Time of its configuration in milliseconds; 0 for a model that no row configures. */
  since: number;
};

/** The usable models, the default first, and the number of providers with a broken key. */
export type UsableModels = { models: Model[]; broken: number };

/**
 * Models that a turn can choose from (docs/specification/assistant.md, Choice): the enabled models of the
 * tenant's enabled providers; if there are none, the fallback variables; else, in the demo, the scripted
 * model. A provider with a key that cannot be opened is left out; one that is down is not, and its error
 * reaches the caller.
 */
export async function usableModels(app: App, stored: ModelRows): Promise<UsableModels> {
  const { models, broken } = await ownOf(app, stored);
  if (models.length > 0) return { models, broken };
  const providers = await providersOf();
  const { clock, config } = app;
  const { apiKey, baseUrl, proxy, idleMs, model, ...options } = config.agentic.fallback;
  const common = {
    capabilities: DEFAULT_CAPABILITIES,
    since: 0,
    providerId: null,
    health: 'environment',
    parameters: [],
    learned: app.of(MODEL_HEALTH).learned.get(model) ?? {},
    price: null,
    fallbackOrder: 0,
  };
  if (apiKey) {
    // An address set by the operator has no egress guard, but a proxy needs one to open its tunnels.
    const egress = proxy ? app.egress.operator : null;
    const timeouts = idleMs === null ? {} : { idleMs };
    const way = { baseUrl, apiKey, clock, egress, proxy, timeouts };
    const provider = patient(providers['openai-compatible'](way), timeouts);
    return {
      models: [
        { name: model, label: model, providerName: 'fallback', provider, ...options, ...common },
      ],
      broken,
    };
  }
  if (!config.demo) return { models: [], broken };
  const provider = providers.scripted({ baseUrl: '', apiKey: '', clock, egress: null });
  return {
    models: [{ name: SCRIPTED, label: SCRIPTED, providerName: SCRIPTED, provider, ...common }],
    broken,
  };
}

export type ModelRows = Awaited<ReturnType<typeof modelRowsOf>>;

const enabledProviders = statement((q, { tenantId }: { tenantId: string }) =>
  q
    .selectFrom('svc_model_provider')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .where('baseUrl', '<>', '')
    .orderBy('defaultFlag', 'desc')
    .orderBy('id')
    .limit(MAX_PROVIDERS)
    .compile(),
);
const allConfigs = statement((q, { tenantId }: { tenantId: string }) =>
  q
    .selectFrom('svc_model_config')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('defaultFlag', 'desc')
    .orderBy('id')
    .limit(MAX_CONFIGS)
    .compile(),
);

/** The tenant's enabled providers and its model configs, the default first. */
export async function modelRowsOf(q: Queries, tenantId: string) {
  const [rows, configs] = await Promise.all([
    enabledProviders(q, { tenantId }),
    allConfigs(q, { tenantId }),
  ]);
  return { rows, configs };
}

/** The default model first, then those of the default provider; a provider without configs offers its own. */
async function ownOf(app: App, { rows, configs }: ModelRows): Promise<UsableModels> {
  const found: { isDefault: boolean; model: Model }[] = [];
  let broken = 0;
  for (const row of rows) {
    const provider = await openProvider(app, row);
    if (!provider) {
      broken += 1;
      app.log.error({ provider: row.name }, 'model provider key cannot be opened');
      continue;
    }
    const own = configs.filter(({ providerId }) => providerId === row.id);
    const providerName = row.name;
    const health = `${row.tenantId} ${row.id} ${row.operateTime.getTime()}`;
    const ofRow = { providerName, providerId: row.id, health };
    if (own.length === 0 && row.model !== '') {
      const since = row.createTime.getTime();
      const { model: name } = row;
      const model = {
        ...ofRow,
        name,
        label: name,
        provider,
        capabilities: DEFAULT_CAPABILITIES,
        since,
        parameters: [],
        learned: learnedOf(row.learned, name),
        price: null,
        fallbackOrder: 0,
      };
      found.push({ isDefault: false, model });
    }
    for (const config of own.filter(({ enableFlag }) => enableFlag === EnableFlag.ENABLE)) {
      const { stream, toolCall, vision, reasoning, temperature, maxTokens } = config;
      const capabilities = { stream, toolCall, vision, reasoning };
      const map = parametersOf(config.parameters);
      const model = {
        ...ofRow,
        name: config.model,
        label: config.label || config.model,
        provider: withCapabilities(provider, capabilities),
        capabilities,
        temperature,
        maxTokens,
        since: config.createTime.getTime(),
        parameters: isEmpty(map) ? [] : [map],
        learned: learnedOf(row.learned, config.model),
        price: priceOf(config.price),
        fallbackOrder: config.fallbackOrder,
      };
      found.push({ isDefault: config.defaultFlag === DefaultFlag.DEFAULT, model });
    }
  }
  const sorted = found.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
  return { models: sorted.map(({ model }) => model), broken };
}
