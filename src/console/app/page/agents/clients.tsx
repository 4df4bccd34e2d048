import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { accountsWords } from '../../word/accounts.ts';
import { scopeOf } from './keys.tsx';

type Client = Schemas['OauthClient'];

/** The OAuth clients of the tenant: what each may ask for. */
export function Clients() {
  const w = accountsWords().clients;
  const maySee = may('svc-center-auth:mcp:list');
  const asked = useAsk('POST /auth/mcp/client/list', maySee ? {} : null);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <Loaded asked={asked} rows={3}>
        {(list) => (
          <>
            {list.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {list.map((client) => (
                <Row key={client.id} client={client} again={asked.again} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Row({ client, again }: { client: Client; again(): void }) {
  const w = accountsWords().clients;
  const [isAsking, setAsking] = useState(false);
  const remove = useAct('POST /auth/mcp/client/delete');
  const drop = async (): Promise<void> => {
    if ((await remove.run({ id: client.id })) === null) return;
    setAsking(false);
    again();
  };
  const scopes = client.scopes.split(' ').filter((scope) => scope !== '');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{client.clientName || client.clientId}</bdi>
        <span class="quiet">{w.type[client.clientType]}</span>
        {client.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
        {may('svc-center-auth:mcp:delete') && (
          <div class="actions">
            <Button kind="danger" onPress={() => setAsking(true)}>
              {w.delete}
            </Button>
          </div>
        )}
      </div>
      <p class="quiet">{scopes.map(scopeOf).join(' · ')}</p>
      {isAsking && (
        <AskFirst
          title={w.question(client.clientName || client.clientId)}
          go={w.delete}
          isRunning={remove.isRunning}
          failure={remove.failure}
          onGo={() => void drop()}
          onClose={() => setAsking(false)}
        >
          <p>{w.means}</p>
        </AskFirst>
      )}
    </li>
  );
}
