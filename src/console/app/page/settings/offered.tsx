import { useState } from 'preact/hooks';

import { type Asked, useAct } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { modelsWords } from '../../word/models.ts';
import { ModelForm } from './model-form.tsx';

type Config = Schemas['ModelConfig'];

type Given = {
  provider: Schemas['ModelProvider'];
  models: Asked<readonly Config[]>;
  /** Names that the provider has answered to a check. */
  found: readonly string[];
  changed(): void;
};

/** What the chat offers of a provider. */
export function Offered({ provider, models, found, changed }: Given) {
  const w = modelsWords().model;
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="offered stack">
      <Loaded asked={models} rows={1}>
        {(all) => {
          const own = all.filter(({ providerId }) => providerId === provider.id);
          return (
            <>
              {own.length === 0 && (
                <p class="quiet">
                  {provider.model === '' ? w.next : <bdi>{w.nextOf(provider.model)}</bdi>}
                </p>
              )}
              <ul class="list" aria-label={`${w.title} ${provider.name}`}>
                {own.map((model) => (
                  <Row key={model.id} model={model} found={found} changed={changed} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      {may('svc-center-agentic:model:add') && (
        <div class="row">
          <Button onPress={() => setAdding(true)} label={`${w.add}: ${provider.name}`}>
            {w.add}
          </Button>
        </div>
      )}
      {isAdding && (
        <ModelForm
          providerId={provider.id}
          model={null}
          found={found}
          changed={changed}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}

const ABLE = ['toolCall', 'vision', 'reasoning', 'stream'] as const;

type RowGiven = { model: Config; found: readonly string[]; changed(): void };

function Row({ model, found, changed }: RowGiven) {
  const w = modelsWords();
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const remove = useAct('POST /agentic/model/config/delete');
  const close = (): void => setAsking(null);
  const drop = async (): Promise<void> => {
    if ((await remove.run({ id: model.id })) === null) return;
    close();
    changed();
  };
  const able = ABLE.filter((name) => model[name]).map((name) => w.model.can[name]);
  return (
    <li>
      <div class="row">
        <bdi class="strong">{model.label || model.model}</bdi>
        {model.label !== '' && <bdi class="quiet">{model.model}</bdi>}
        <span class="quiet">{able.join(' · ')}</span>
        {model.defaultFlag === 'DEFAULT' && <span class="quiet">{w.isDefault}</span>}
        {model.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
        <div class="actions">
          {may('svc-center-agentic:model:update') && (
            <Button onPress={() => setAsking('edit')} label={`${w.edit} ${model.model}`}>
              {w.edit}
            </Button>
          )}
          {may('svc-center-agentic:model:delete') && (
            <Button
              kind="danger"
              onPress={() => setAsking('delete')}
              label={`${w.delete} ${model.model}`}
            >
              {w.delete}
            </Button>
          )}
        </div>
      </div>
      {asking === 'edit' && (
        <ModelForm
          providerId={model.providerId}
          model={model}
          found={found}
          changed={changed}
          onClose={close}
        />
      )}
      {asking === 'delete' && (
        <AskFirst
          title={w.model.question(model.model)}
          go={w.delete}
          isRunning={remove.isRunning}
          failure={remove.failure}
          onGo={() => void drop()}
          onClose={close}
        >
          <p>{w.model.means}</p>
        </AskFirst>
      )}
    </li>
  );
}
