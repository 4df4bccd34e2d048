import { type Asked, useAct } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { Button } from '../../../part/control/button.tsx';
import { Loaded, RefusedNote } from '../../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../../part/control/opener.tsx';
import { Disabled } from '../../../part/value/mark.tsx';
import { modelsWords } from '../../../word/models.ts';
import { partWords } from '../../../word/part.ts';
import { ModelForm } from './model-form.tsx';
import { Tries } from './tries.tsx';

type Config = Schemas['ModelConfig'];

type Given = {
  provider: Schemas['ModelProvider'];
  models: Asked<readonly Config[]>;
  /** Names that the provider has answered to a check. */
  found: readonly string[];
  changed(): void;
};

export function Offered({ provider, models, found, changed }: Given) {
  const w = modelsWords().model;
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
          <Opener word={w.add} label={`${w.add}: ${provider.name}`}>
            {(close) => (
              <ModelForm
                providerId={provider.id}
                model={null}
                found={found}
                changed={changed}
                onClose={close}
              />
            )}
          </Opener>
        </div>
      )}
    </div>
  );
}

const ABLE = ['toolCall', 'vision', 'reasoning', 'stream'] as const;

type RowGiven = { model: Config; found: readonly string[]; changed(): void };

function Row({ model, found, changed }: RowGiven) {
  const w = modelsWords();
  const remove = useAct('POST /agentic/model/config/delete');
  const check = useAct('POST /agentic/provider/config/check');
  const able = ABLE.filter((name) => model[name]).map((name) => w.model.can[name]);
  return (
    <li>
      <div class="row">
        <bdi class="strong">{model.label || model.model}</bdi>
        {model.label !== '' && <bdi class="quiet">{model.model}</bdi>}
        <span class="quiet">{able.join(' · ')}</span>
        {model.defaultFlag === 'DEFAULT' && <span class="quiet">{w.isDefault}</span>}
        <Disabled of={model} />
        <div class="actions">
          {may('svc-center-agentic:provider:update') && (
            <Button
              isBusy={check.isRunning}
              onPress={() => void check.run({ id: model.providerId, model: model.model })}
              label={`${w.tries.act} ${model.model}`}
            >
              {w.tries.act}
            </Button>
          )}
          {may('svc-center-agentic:model:update') && (
            <Opener word={w.edit} label={`${w.edit} ${model.model}`}>
              {(close) => (
                <ModelForm
                  providerId={model.providerId}
                  model={model}
                  found={found}
                  changed={changed}
                  onClose={close}
                />
              )}
            </Opener>
          )}
          {may('svc-center-agentic:model:delete') && (
            <AskButton
              label={`${partWords().delete} ${model.model}`}
              title={w.model.question(model.model)}
              act={remove}
              run={() => remove.run({ id: model.id })}
              done={changed}
            >
              <p>{w.model.means}</p>
            </AskButton>
          )}
        </div>
      </div>
      {check.isRunning && <p class="quiet">{w.tries.runs}</p>}
      <RefusedNote failure={check.failure} />
      <Tries tries={check.answer?.tries ?? []} />
    </li>
  );
}
