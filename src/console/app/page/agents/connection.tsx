import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago, Moment } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import type { Parameters } from '../../route/route.ts';
import { agentsWords } from '../../word/agents.ts';
import { connectionWords } from '../../word/connection.ts';
import { Activity } from './activity.tsx';
import { Budgets } from './connection-budgets.tsx';
import { Tools } from './connection-tools.tsx';
import { scopeOf } from './scope.ts';
import { modeState } from './switch.tsx';

type Connection = Schemas['McpConnection'];

/** `/agents/connection/:id`: what one connection may do, what it used of its budgets, and its calls. */
export function Connection({ id = '' }: Parameters) {
  const w = connectionWords();
  const asked = useAsk(
    'POST /auth/mcp/connection/list',
    may('svc-center-auth:mcp:list') ? {} : null,
  );
  const found = asked.data?.find((each) => each.id === id);
  return (
    <Page
      title={found ? found.connectionName || found.clientId : w.title}
      state={found && <State connection={found} />}
      actions={<Link to="/agents">{agentsWords().title}</Link>}
    >
      <Loaded asked={asked} rows={8}>
        {() => (found ? <Whole connection={found} /> : <Empty title={w.none} />)}
      </Loaded>
    </Page>
  );
}

const State = ({ connection: { revokeTime, readOnlyFlag } }: { connection: Connection }) =>
  revokeTime === null ? (
    <Chip {...modeState(readOnlyFlag === 1 ? 'READ_ONLY' : 'ON')} />
  ) : (
    <Chip tone="idle" shape="bar" word={agentsWords().connections.revoked} />
  );

function Whole({ connection }: { connection: Connection }) {
  const w = connectionWords();
  const clients = useAsk('POST /auth/mcp/client/list', {});
  const client = clients.data?.find(({ clientId }) => clientId === connection.clientId);
  const scopes = client?.scopes.split(' ').filter((scope) => scope !== '') ?? [];
  return (
    <>
      <Section title={w.about}>
        <Facts
          of={[
            [w.client, <bdi>{client?.clientName ?? connection.clientId}</bdi>],
            [w.acts, w.for[connection.principalType]],
            [
              w.scopes,
              scopes.length > 0 && (
                <ul>
                  {scopes.map((scope) => (
                    <li key={scope}>{scopeOf(scope)}</li>
                  ))}
                </ul>
              ),
            ],
            [w.used, <Ago at={connection.lastUsedTime} />],
            [w.ends, connection.expireTime && <Moment at={connection.expireTime} />],
            [w.revoked, connection.revokeTime && <Moment at={connection.revokeTime} />],
          ]}
        />
      </Section>
      <Budgets connectionId={connection.id} />
      <Tools connectionId={connection.id} />
      <Activity principalId={connection.principalId} />
    </>
  );
}
