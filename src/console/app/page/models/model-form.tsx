import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Check, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { modelsWords } from '../../word/settings/models.ts';
import { ModelName } from './model-name.tsx';
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
  const [draft, setDraft] = useState(model ? draftOf(model) : FIRST);
  const set = (change: Partial<typeof FIRST>): void => setDraft({ ...draft, ...change });
  const add = useAct('POST /agentic/model/config/add');
  const update = useAct('POST /agentic/model/config/update');
  const failure = add.failure ?? update.failure;
  const save = async (): Promise<void> => {
    const { temperature, maxTokens, isOn, isDefault, ...others } = draft;
    const [terms, rest] = termsIn(others);
    const given = {
      ...rest,
      ...terms,
      ...(temperature !== '' && { temperature: Number(temperature) }),
      ...(maxTokens !== '' && { maxTokens: Number(maxTokens) }),
      enableFlag: isOn ? ('ENABLE' as const) : ('DISABLE' as const),
      defaultFlag: isDefault ? ('DEFAULT' as const) : ('NOT_DEFAULT' as const),
    };
    const done = model
      ? await update.run({ id: model.id, ...given })
      : await add.run({ providerId, ...given });
    if (done === null) return;
    announce(w.saved(draft.model));
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={model ? w.edit : w.add}
      go={w.save}
      isRunning={add.isRunning || update.isRunning}
      isOff={draft.model === '' || !isReadable(draft)}
      failure={failure}
      onGo={() => void save()}
      onClose={onClose}
    >
      <ModelName
        value={draft.model}
        found={found}
        wrong={wrongOf(failure, 'model')}
        onChange={(name) => set({ model: name })}
      />
      <TextField
        label={w.label}
        value={draft.label}
        onChange={(label) => set({ label })}
        wrong={wrongOf(failure, 'label')}
        autocomplete="off"
      />
      <Check
        label={w.toolCall}
        hint={w.toolCallHint}
        value={draft.toolCall}
        onChange={(toolCall) => set({ toolCall })}
      />
      <Check label={w.vision} value={draft.vision} onChange={(vision) => set({ vision })} />
      <Check
        label={w.reasoning}
        value={draft.reasoning}
        onChange={(reasoning) => set({ reasoning })}
      />
      <Check label={w.stream} value={draft.stream} onChange={(stream) => set({ stream })} />
      <div class="fields">
        <TextField
          label={w.temperature}
          type="number"
          min="0"
          max="2"
          step="any"
          value={draft.temperature}
          onChange={(temperature) => set({ temperature })}
          wrong={wrongOf(failure, 'temperature')}
        />
        <TextField
          label={w.maxTokens}
          type="number"
          min="1"
          value={draft.maxTokens}
          onChange={(maxTokens) => set({ maxTokens })}
          wrong={wrongOf(failure, 'maxTokens')}
        />
      </div>
      <Terms draft={draft} failure={failure} set={set} />
      <Check label={w.isOn} value={draft.isOn} onChange={(isOn) => set({ isOn })} />
      <Check
        label={w.isDefault}
        value={draft.isDefault}
        onChange={(isDefault) => set({ isDefault })}
      />
    </FormDialog>
  );
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
