import { bounds } from '../../../client/bounds.ts';
import type { Failure } from '../../../client/failure.ts';
import type { Schemas } from '../../../client/operations.ts';
import { limitsOf } from '../../../part/control/bound.ts';
import { TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { modelsWords } from '../../../word/models.ts';

/** What a model costs, when it is asked in place of another, and what its vendor wants otherwise; as typed. */
export const NO_TERMS = {
  fallback: '',
  prompt: '',
  cached: '',
  completion: '',
  currency: '',
  parameters: '',
};
export type TermsDraft = typeof NO_TERMS;

/** The terms of a draft as the operation takes them, and what else is in it. */
export function termsIn<T extends TermsDraft>(draft: T) {
  const { fallback, prompt, cached, completion, currency, parameters, ...rest } = draft;
  const isPriced = prompt !== '' || completion !== '' || currency !== '';
  const price = { prompt, completion, currency, ...(cached !== '' && { cached }) };
  const terms = {
    fallbackOrder: Number(fallback),
    price: isPriced ? price : null,
    parameters: mapIn(parameters) ?? {},
  };
  return [terms, rest] as const;
}

export function termsOf({ fallbackOrder, price, parameters }: Schemas['ModelConfig']): TermsDraft {
  const isMapped = Object.keys(parameters).length > 0;
  return {
    fallback: fallbackOrder === 0 ? '' : String(fallbackOrder),
    prompt: price?.prompt ?? '',
    cached: price?.cached ?? '',
    completion: price?.completion ?? '',
    currency: price?.currency ?? '',
    parameters: isMapped ? JSON.stringify(parameters) : '',
  };
}

/** An object as it was typed; null where it is none. */
function mapIn(text: string): Schemas['ModelConfig']['parameters'] | null {
  if (text.trim() === '') return {};
  try {
    const map: unknown = JSON.parse(text);
    return typeof map === 'object' && map !== null && !Array.isArray(map)
      ? Object.fromEntries(Object.entries(map))
      : null;
  } catch {
    return null;
  }
}

/** Whether the changes of the request are an object. */
export const isReadable = ({ parameters }: TermsDraft): boolean => mapIn(parameters) !== null;

type Given = {
  draft: TermsDraft;
  failure: Failure | null;
  set(change: Partial<TermsDraft>): void;
};

export function Terms({ draft, failure, set }: Given) {
  const { model: w } = modelsWords();
  const field = (name: keyof TermsDraft, label: string, wrong: string | undefined) => (
    <TextField
      label={label}
      value={draft[name]}
      onChange={(value) => set({ [name]: value })}
      wrong={wrong}
      autocomplete="off"
    />
  );
  return (
    <>
      <div class="fields">
        {field('prompt', w.pricePrompt, wrongOf(failure, 'price.prompt'))}
        {field('cached', w.priceCached, wrongOf(failure, 'price.cached'))}
      </div>
      <div class="fields">
        {field('completion', w.priceCompletion, wrongOf(failure, 'price.completion'))}
        {field('currency', w.currency, wrongOf(failure, 'price.currency'))}
      </div>
      <TextField
        label={w.fallback}
        hint={w.fallbackHint}
        {...limitsOf(bounds['POST /agentic/model/config/add'].fallbackOrder)}
        value={draft.fallback}
        onChange={(fallback) => set({ fallback })}
        wrong={wrongOf(failure, 'fallbackOrder')}
      />
      <TextField
        label={w.parameters}
        hint={w.parametersHint}
        value={draft.parameters}
        onChange={(parameters) => set({ parameters })}
        wrong={isReadable(draft) ? wrongOf(failure, 'parameters') : w.notJson}
        autocomplete="off"
      />
    </>
  );
}
