import { useState } from 'preact/hooks';

import type { Schemas } from '../../../client/operations.ts';
import { announce } from '../../../part/announce.tsx';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { Check, Choice, TextField } from '../../../part/control/field.tsx';
import { useForm } from '../../../part/control/form.ts';
import { modelsWords } from '../../../word/models.ts';
import { isReadable, NO_TERMS, Terms, termsIn, termsOf } from './terms.tsx';

type Given = {
  providerId: string;
  /** Null: a new one. */
  model: Schemas['ModelConfig'] | null;
  found: readonly string[];
  changed(): void;
  onClose(): void;
};

const FIRST = {
  model: '',
  label: '',
  toolCall: true,
  vision: false,
  reasoning: false,
  stream: true,
  temperature: '',
  maxTokens: '',
  isOn: true,
  isDefault: false,
  ...NO_TERMS,
};

/** Adds or changes what the chat offers: the model, and what it can do. */
export function ModelForm({ providerId, model, found, changed, onClose }: Given) {
  const { model: w } = modelsWords();
  const form = useForm(
    model ? 'POST /agentic/model/config/update' : 'POST /agentic/model/config/add',
    {
      fields: model ? draftOf(model) : FIRST,
      needs: ['model'],
      input: (draft) =>
        isReadable(draft)
          ? { ...(model ? { id: model.id } : { providerId }), ...inputOf(draft) }
          : null,
      done(_, draft) {
        announce(w.saved(draft.model));
        changed();
        onClose();
      },
    },
  );
  return (
    <FormDialog title={model ? w.edit : w.add} {...form.sends} onClose={onClose}>
      <ModelName found={found} {...form.of('model')} />
      <TextField label={w.label} {...form.of('label')} />
      <Check label={w.toolCall} hint={w.toolCallHint} {...form.of('toolCall')} />
      <Check label={w.vision} {...form.of('vision')} />
      <Check label={w.reasoning} {...form.of('reasoning')} />
      <Check label={w.stream} {...form.of('stream')} />
      <div class="fields">
        <TextField label={w.temperature} {...form.of('temperature')} />
        <TextField label={w.maxTokens} {...form.of('maxTokens')} />
      </div>
      <Terms draft={form.values} failure={form.failure} set={form.set} />
      <Check label={w.isOn} {...form.of('isOn')} />
      <Check label={w.isDefault} {...form.of('isDefault')} />
    </FormDialog>
  );
}

function inputOf({ temperature, maxTokens, isOn, isDefault, ...others }: typeof FIRST) {
  const [terms, rest] = termsIn(others);
  return {
    ...rest,
    ...terms,
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(maxTokens !== '' && { maxTokens: Number(maxTokens) }),
    enableFlag: isOn ? ('ENABLE' as const) : ('DISABLE' as const),
    defaultFlag: isDefault ? ('DEFAULT' as const) : ('NOT_DEFAULT' as const),
  };
}

const draftOf = (model: Schemas['ModelConfig']): typeof FIRST => ({
  model: model.model,
  label: model.label,
  toolCall: model.toolCall,
  vision: model.vision,
  reasoning: model.reasoning,
  stream: model.stream,
  temperature: String(model.temperature),
  maxTokens: String(model.maxTokens),
  isOn: model.enableFlag === 'ENABLE',
  isDefault: model.defaultFlag === 'DEFAULT',
  ...termsOf(model),
});

type NameGiven = {
  value: string;
  /** Names that the provider has answered to a check. */
  found: readonly string[];
  wrong: string | undefined;
  onChange(name: string): void;
};

const ANOTHER = '';

/** The name of a model: one that the provider has named, or any other. */
function ModelName({ value, found, wrong, onChange }: NameGiven) {
  const w = modelsWords().model;
  const [isOther, setOther] = useState(!found.includes(value) && value !== '');
  const field = (label: string) => (
    <TextField
      label={label}
      hint={w.nameHint}
      value={value}
      onChange={onChange}
      wrong={wrong}
      autocomplete="off"
    />
  );
  if (found.length === 0) return field(w.name);
  const isChosen = !isOther && found.includes(value);
  return (
    <>
      <Choice
        label={w.name}
        value={isChosen ? value : ANOTHER}
        onChange={(name) => {
          setOther(name === ANOTHER);
          onChange(name);
        }}
        options={[[ANOTHER, w.another], ...found.map((name) => [name, name] as const)]}
      />
      {!isChosen && field(w.other)}
    </>
  );
}
