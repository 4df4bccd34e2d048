import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/button.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Chip } from '../../part/mark.tsx';
import { RefusedNote } from '../../part/refused.tsx';
import { may } from '../../session/session.ts';
import { modelsWords } from '../../word/models.ts';
import { SettingsPage } from '../settings/frame.tsx';

/** `/settings/models`: the providers of the tenant's models, and whether they answer. */
export function Models() {
  const w = modelsWords();
  const maySee = may('svc-center-agentic:provider:list');
  const asked = useAsk('GET /agentic/provider/list', maySee ? {} : null);
  if (!maySee) return null;
  return (
    <SettingsPage title={w.title}>
      <Loaded asked={asked} rows={2}>
        {(list) => (
          <>
            {list.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {list.map((provider) => (
                <Provider key={provider.id} provider={provider} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}

function Provider({ provider }: { provider: Schemas['ModelProvider'] }) {
  const w = modelsWords();
  const check = useAct('POST /agentic/provider/config/check');
  const found = check.answer;
  return (
    <li>
      <div class="row">
        <bdi class="strong">{provider.name}</bdi>
        <bdi class="quiet">{provider.baseUrl}</bdi>
        {provider.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
        {!provider.hasApiKey && <Chip tone="warning" shape="diamond" word={w.noKey} />}
        {found &&
          (found.ok ? (
            <Chip tone="good" shape="check" word={w.answers(found.models.length)} />
          ) : (
            <Chip tone="danger" shape="cross" word={w.fails} />
          ))}
        {may('svc-center-agentic:provider:update') && (
          <div class="actions">
            <Button
              isBusy={check.isRunning}
              onPress={() => void check.run({ id: provider.id })}
              label={`${w.check} ${provider.name}`}
            >
              {w.check}
            </Button>
          </div>
        )}
      </div>
      {found?.reason && <bdi lang="en">{found.reason}</bdi>}
      <RefusedNote failure={check.failure} />
    </li>
  );
}
