import { type Asked, useAct, useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { Button } from '../../../part/control/button.tsx';
import { List } from '../../../part/control/list.tsx';
import { Empty, RefusedNote } from '../../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../../part/control/opener.tsx';
import { Chip, Disabled } from '../../../part/value/mark.tsx';
import { modelsWords } from '../../../word/models.ts';
import { partWords } from '../../../word/part.ts';
import { SettingsPage } from '../frame.tsx';
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
  const changed = (): void => {
    asked.again();
    models.again();
  };
  return (
    <SettingsPage
      title={w.title}
      actions={
        may('svc-center-agentic:provider:add') && (
          <Opener word={w.provider.add}>
            {(close) => <ProviderForm provider={null} changed={changed} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <List asked={asked} rows={2} tall none={<Empty title={w.none}>{w.next}</Empty>}>
        {(provider) => (
          <Provider key={provider.id} provider={provider} models={models} changed={changed} />
        )}
      </List>
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
  const check = useAct('POST /agentic/provider/config/check');
  const remove = useAct('POST /agentic/provider/config/delete');
  const { id, name } = provider;
  const mayUpdate = may('svc-center-agentic:provider:update');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{name}</bdi>
        <span class="quiet">{w.kinds[provider.providerType]}</span>
        <bdi class="quiet">{provider.baseUrl}</bdi>
        {provider.defaultFlag === 'DEFAULT' && <span class="quiet">{w.isDefault}</span>}
        <Disabled of={provider} />
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
              <Opener word={w.edit} label={`${w.edit} ${name}`}>
                {(close) => <ProviderForm provider={provider} changed={changed} onClose={close} />}
              </Opener>
            </>
          )}
          {may('svc-center-agentic:provider:delete') && (
            <AskButton
              label={`${partWords().delete} ${name}`}
              title={w.provider.question(name)}
              act={remove}
              run={() => remove.run({ id })}
              done={changed}
            >
              <p>{w.provider.means}</p>
            </AskButton>
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
