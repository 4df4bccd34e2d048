import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { modelsWords } from '../../word/models.ts';
import { SettingsPage } from './frame.tsx';
import { ProviderForm } from './provider-form.tsx';
import { Provider } from './provider.tsx';

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
