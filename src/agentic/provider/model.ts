import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { nameIn } from '../../kernel/entity/answer.ts';
import { AppError, Unavailable } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';
import { Capabilities } from './capabilities.ts';
import { DefaultFlag } from './default-flag.ts';
import { type Model, type ModelRows, modelRowsOf, usableModels } from './usable-models.ts';

export type { Model } from './usable-models.ts';

/** Models named in a refusal. */
const MAX_NAMED = 20;

/**
 * The model for a turn (docs/specification/assistant.md, Choice): that of the request, else the preferred one of the
 * conversation, else the default; beside it those that are asked when it does not answer. Throws 404 for a request with an unknown name, and Unavailable with the reason when
 * no model is usable.
 */
export async function chooseModel(
  app: App,
  stored: ModelRows,
  { asked, preferred }: { asked: string | undefined; preferred: string | undefined },
): Promise<{ model: Model; models: readonly Model[]; fallbacks: readonly Model[] }> {
  const { models, broken } = await usableModels(app, stored);
  const of = (wanted: string | undefined) =>
    models.find(({ name, providerName }) =>
      [name, `${providerName}/${name}`].includes(wanted ?? ''),
    );
  if (asked !== undefined && models.length > 0 && !of(asked)) {
    throw new AppError(404, 'model_not_found', unknownModel(asked, models), {
      detail: { param: 'model' },
    });
  }
  const model = of(asked) ?? of(preferred) ?? models[0];
  if (model) return { model, models, fallbacks: fallbacksOf(models, model) };
  throw new Unavailable(
    broken > 0
      ? 'No model can be used: the stored key of the model provider cannot be opened'
      : 'No model is configured: add a model provider, or set AGENTIC_FALLBACK_OPENAI_API_KEY',
  );
}

/** Those that can do what the chosen one can, in their order. */
const fallbacksOf = (models: readonly Model[], chosen: Model): Model[] =>
  models
    .filter(
      ({ fallbackOrder, capabilities: { toolCall, vision }, ...model }) =>
        fallbackOrder > 0 &&
        (model.name !== chosen.name || model.providerId !== chosen.providerId) &&
        (toolCall || !chosen.capabilities.toolCall) &&
        (vision || !chosen.capabilities.vision),
    )
    .toSorted((a, b) => a.fallbackOrder - b.fallbackOrder);

function unknownModel(asked: string, models: readonly Model[]): string {
  const names = [...new Set(models.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return `There is no model ${JSON.stringify(asked)}; there are: ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** docs/specification/assistant.md, Models; the default is the model of a turn that names none. */
export const ModelItem = Capabilities.extend({
  model: z.string().meta({ examples: ['qwen3:8b'] }),
  label: z.string().meta({ examples: ['Qwen 3'] }),
  temperature: z.number().optional(),
  maxTokens: z.number().int().optional(),
  providerName: z.string().meta({ examples: ['local'] }),
  defaultFlag: nameIn(DefaultFlag),
});
type ModelItem = z.output<typeof ModelItem>;

export const ListModels = input({});

async function modelsOf(app: App, { tenantId }: Caller): Promise<Model[]> {
  const stored = await inOneTrip(app.db, tenantId, (q) => modelRowsOf(q, tenantId));
  return (await usableModels(app, stored)).models;
}

/** The short list for a chat box: names and capabilities, never addresses or keys. */
export const list: Operation<z.output<typeof ListModels>, ModelItem[]> = async (app, caller) => {
  const models = await modelsOf(app, caller);
  return models.map(
    ({ name, label, capabilities, temperature, maxTokens, providerName }, index) => ({
      model: name,
      label,
      ...capabilities,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      providerName,
      defaultFlag: index === 0 ? 'DEFAULT' : 'NOT_DEFAULT',
    }),
  );
};

/** A model in OpenAI's shape. */
export const OpenAiModel = z
  .object({
    id: z.string().meta({ examples: ['qwen3:8b'] }),
    object: z.literal('model'),
    created: z.number().int().describe('Seconds since the epoch'),
    owned_by: z.string().meta({ examples: ['local'] }),
  })
  .meta({ id: 'OpenAiModel' });
type OpenAiModel = z.output<typeof OpenAiModel>;

export const OpenAiModels = z
  .object({ object: z.literal('list'), data: z.array(OpenAiModel) })
  .meta({ id: 'OpenAiModels' });

/** The models in OpenAI's shape, each name once; `created` in seconds. */
export async function openAiModels(app: App, caller: Caller): Promise<OpenAiModel[]> {
  const models = await modelsOf(app, caller);
  const named = new Map<string, OpenAiModel>();
  for (const { name, providerName, since } of models) {
    if (named.has(name)) continue;
    const created = Math.floor(since / 1_000);
    named.set(name, { id: name, object: 'model', created, owned_by: providerName });
  }
  return [...named.values()];
}

/** One model in OpenAI's shape; throws 404 with OpenAI's own code. */
export async function openAiModel(app: App, caller: Caller, id: string): Promise<OpenAiModel> {
  const found = (await openAiModels(app, caller)).find((model) => model.id === id);
  if (!found) throw new AppError(404, 'model_not_found', 'The model does not exist');
  return found;
}
