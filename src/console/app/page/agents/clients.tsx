import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { Disabled } from '../../part/value/mark.tsx';
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
      <List asked={asked} none={<Empty title={w.none}>{w.next}</Empty>}>
        {(client) => <Row key={client.id} client={client} again={asked.again} />}
      </List>
    </Section>
  );
}

function Row({ client, again }: { client: Client; again(): void }) {
  const w = accountsWords().clients;
  const remove = useAct('POST /auth/mcp/client/delete');
  const scopes = client.scopes.split(' ').filter((scope) => scope !== '');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{client.clientName || client.clientId}</bdi>
        <span class="quiet">{w.type[client.clientType]}</span>
        <Disabled of={client} />
        {may('svc-center-auth:mcp:delete') && (
          <div class="actions">
            <AskButton
              title={w.question(client.clientName || client.clientId)}
              act={remove}
              run={() => remove.run({ id: client.id })}
              done={again}
            >
              <p>{w.means}</p>
            </AskButton>
          </div>
        )}
      </div>
      <p class="quiet">{scopes.map(scopeOf).join(' · ')}</p>
    </li>
  );
}
