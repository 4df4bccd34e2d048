import { useState } from 'preact/hooks';

import { type Asked, useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { modelsWords } from '../../word/models.ts';
import { SettingsPage } from './frame.tsx';
import { Offered } from './offered.tsx';
import { ProviderForm } from './provider-form.tsx';

/** `/settings/models`: the providers of the tenant's models, what the chat offers of each, and whether they answer. */
export function Models() {
  const w = modelsWords();
  const asked = useAsk('GET /agentic/provider/list', {});
  const models = useAsk(
    'GET /agentic/model/config/list',
    may('svc-center-agentic:model:list') ? {} : null,
  );
  const [isAdding, setAdding] = useState(false);
  const changed = (): void => {
    asked.again();
    models.again();
  };
  return (
    <SettingsPage
      title={w.title}
      actions={
        may('svc-center-agentic:provider:add') && (
          <Button onPress={() => setAdding(true)}>{w.provider.add}</Button>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <Loaded asked={asked} rows={2} tall>
        {(list) => (
          <>
            {list.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {list.map((provider) => (
                <Provider key={provider.id} provider={provider} models={models} changed={changed} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {isAdding && (
        <ProviderForm provider={null} changed={changed} onClose={() => setAdding(false)} />
      )}
    </SettingsPage>
  );
}

type Given = {
  provider: Schemas['ModelProvider'];
  models: Asked<readonly Schemas['ModelConfig'][]>;
  changed(): void;
};

/** One provider: where it answers, whether it does, and its models. */
function Provider({ provider, models, changed }: Given) {
  const w = modelsWords();
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const check = useAct('POST /agentic/provider/config/check');
  const remove = useAct('POST /agentic/provider/config/delete');
  const close = (): void => setAsking(null);
  const drop = async (): Promise<void> => {
    if ((await remove.run({ id: provider.id })) === null) return;
    close();
    changed();
  };
  const { id, name } = provider;
  const mayUpdate = may('svc-center-agentic:provider:update');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{name}</bdi>
        <span class="quiet">{w.kinds[provider.providerType]}</span>
        <bdi class="quiet">{provider.baseUrl}</bdi>
        {provider.defaultFlag === 'DEFAULT' && <span class="quiet">{w.isDefault}</span>}
        {provider.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
        {!provider.hasApiKey && <Chip tone="idle" shape="ring" word={w.noKey} />}
        <Found answer={check.answer} />
        <div class="actions">
          {mayUpdate && (
            <>
              <Button
                isBusy={check.isRunning}
                onPress={() => void check.run({ id })}
                label={`${w.check} ${name}`}
              >
                {w.check}
              </Button>
              <Button onPress={() => setAsking('edit')} label={`${w.edit} ${name}`}>
                {w.edit}
              </Button>
            </>
          )}
          {may('svc-center-agentic:provider:delete') && (
            <Button kind="danger" onPress={() => setAsking('delete')} label={`${w.delete} ${name}`}>
              {w.delete}
            </Button>
          )}
        </div>
      </div>
      {check.answer?.reason && <bdi lang="en">{check.answer.reason}</bdi>}
      <RefusedNote failure={check.failure} />
      {may('svc-center-agentic:model:list') && (
        <Offered
          provider={provider}
          models={models}
          found={check.answer?.models ?? []}
          changed={changed}
        />
      )}
      {asking === 'edit' && <ProviderForm provider={provider} changed={changed} onClose={close} />}
      {asking === 'delete' && (
        <AskFirst
          title={w.provider.question(name)}
          go={w.delete}
          isRunning={remove.isRunning}
          failure={remove.failure}
          onGo={() => void drop()}
          onClose={close}
        >
          <p>{w.provider.means}</p>
        </AskFirst>
      )}
    </li>
  );
}

type Check = { ok: boolean; models: readonly string[] };

/** What the last check found. */
function Found({ answer }: { answer: Check | null }) {
  const w = modelsWords();
  if (!answer) return null;
  return answer.ok ? (
    <Chip tone="good" shape="check" word={w.answers(answer.models.length)} />
  ) : (
    <Chip tone="danger" shape="cross" word={w.fails} />
  );
}
