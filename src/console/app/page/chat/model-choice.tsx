import type { AnswerOf } from '../../client/call.ts';
import { Choice } from '../../part/control/field.tsx';
import { chatWords } from '../../word/chat.ts';

type Models = AnswerOf<'GET /agentic/model/list'>;
type Given = {
  models: Models;
  /** Chosen here, or kept with the conversation; undefined: the default of the tenant. */
  chosen: string | undefined;
  onChange(model: string): void;
};

/** The model of the next answers of the conversation. */
export function ModelChoice({ models, chosen, onChange }: Given) {
  const named = models.find((each) => [each.model, nameOf(each)].includes(chosen ?? ''));
  const used = named ?? models.find(({ defaultFlag }) => defaultFlag === 'DEFAULT');
  return (
    <Choice
      label={chatWords().model}
      value={used === undefined ? '' : nameOf(used)}
      onChange={onChange}
      options={models.map((each) => [nameOf(each), `${each.label} · ${each.providerName}`])}
    />
  );
}

/** Two providers may have a model of the same name. */
const nameOf = ({ providerName, model }: Models[number]): string => `${providerName}/${model}`;
