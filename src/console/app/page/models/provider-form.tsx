import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Check, Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { modelsWords } from '../../word/settings/models.ts';

type Given = {
  /** Null: a new one. */
  provider: Schemas['ModelProvider'] | null;
  changed(): void;
  onClose(): void;
};

const KINDS = ['OPENAI_COMPATIBLE', 'ANTHROPIC'] as const;

/** Adds or changes a provider; its key is only ever given, never shown. */
// oxlint-disable-next-line complexity
export function ProviderForm({ provider, changed, onClose }: Given) {
  const { provider: w, kinds } = modelsWords();
  const [name, setName] = useState(provider?.name ?? '');
  const [kind, setKind] = useState<(typeof KINDS)[number]>(provider?.providerType ?? KINDS[0]);
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '');
  const [key, setKey] = useState('');
  const [isForgotten, setForgotten] = useState(false);
  const [model, setModel] = useState(provider?.model ?? '');
  const [isOn, setOn] = useState(provider?.enableFlag !== 'DISABLE');
  const [isDefault, setDefault] = useState(provider?.defaultFlag === 'DEFAULT');
  const add = useAct('POST /agentic/provider/config/add');
  const update = useAct('POST /agentic/provider/config/update');
  const failure = add.failure ?? update.failure;
  const isMoved = provider !== null && provider.baseUrl !== baseUrl;
  const hasKey = provider?.hasApiKey === true;
  const save = async (): Promise<void> => {
    const given = {
      name,
      providerType: kind,
      baseUrl,
      model,
      enableFlag: isOn ? ('ENABLE' as const) : ('DISABLE' as const),
      defaultFlag: isDefault ? ('DEFAULT' as const) : ('NOT_DEFAULT' as const),
      ...(isForgotten ? { apiKey: null } : key !== '' && { apiKey: key }),
    };
    const done = provider ? await update.run({ id: provider.id, ...given }) : await add.run(given);
    if (done === null) return;
    announce(w.saved(name));
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={provider ? w.edit : w.add}
      go={w.save}
      isRunning={add.isRunning || update.isRunning}
      isOff={name === '' || baseUrl === ''}
      failure={failure}
      onGo={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(failure, 'name')}
        autocomplete="off"
      />
      <Choice
        label={w.kind}
        value={kind}
        onChange={(chosen) => setKind(KINDS.find((each) => each === chosen) ?? KINDS[0])}
        options={KINDS.map((each) => [each, kinds[each]] as const)}
      />
      <TextField
        label={w.baseUrl}
        hint={w.baseUrlHint}
        type="url"
        value={baseUrl}
        onChange={setBaseUrl}
        wrong={wrongOf(failure, 'baseUrl')}
        autocomplete="off"
      />
      {!isForgotten && (
        <TextField
          label={w.key}
          hint={!hasKey ? w.keyHint : isMoved ? w.keyGoes : w.keyStays}
          type="password"
          value={key}
          onChange={setKey}
          wrong={wrongOf(failure, 'apiKey')}
          autocomplete="new-password"
        />
      )}
      {hasKey && <Check label={w.forget} value={isForgotten} onChange={setForgotten} />}
      <TextField
        label={w.model}
        hint={w.modelHint}
        value={model}
        onChange={setModel}
        wrong={wrongOf(failure, 'model')}
        autocomplete="off"
      />
      <Check label={w.isOn} value={isOn} onChange={setOn} />
      <Check label={w.isDefault} value={isDefault} onChange={setDefault} />
    </FormDialog>
  );
}
