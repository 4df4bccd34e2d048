import { useEffect, useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import type { Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Check } from '../../part/control/field.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip } from '../../part/value/mark.tsx';
import { Ago, Moment } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';
import { connectionWords } from '../../word/connection.ts';
import { Activity } from './agents.tsx';
import { Budgets } from './connection-budgets.tsx';
import { scopeOf } from './keys.tsx';
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
      actions={<Link to="/agents">{titleOf('/agents')}</Link>}
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

const MOST = 200;

function Tools({ connectionId }: { connectionId: string }) {
  const w = connectionWords().tools;
  const mayChange = may('svc-center-auth:mcp:update');
  const tools = useAsk('POST /auth/mcp/tool/list', { limit: MOST });
  const allowed = useAsk('GET /auth/mcp/connection/tools/list', { id: connectionId });
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [isSaved, setSaved] = useState(true);
  const replace = useAct('POST /auth/mcp/connection/tools/replace');
  const now = chosen ?? new Set(allowed.data ?? []);
  const turn = (toolId: string, isOn: boolean): void => {
    const next = new Set(now);
    if (isOn) next.add(toolId);
    else next.delete(toolId);
    setChosen(next);
    setSaved(false);
  };
  const save = async (): Promise<void> => {
    if (!(await replace.run({ connectionId, toolIds: [...now] }))) return;
    setSaved(true);
    allowed.again();
  };
  // What was saved is shown until the server says the same.
  useEffect(() => {
    if (isSaved) setChosen(null);
  }, [allowed.data]);
  const undo = (): void => {
    setChosen(null);
    setSaved(true);
  };
  return (
    <Section
      title={w.title}
      actions={
        mayChange &&
        !isSaved && (
          <>
            <Button onPress={undo}>{w.undo}</Button>
            <Button kind="primary" isBusy={replace.isRunning} onPress={() => void save()}>
              {w.save}
            </Button>
          </>
        )
      }
    >
      <RefusedNote failure={replace.failure} />
      <Loaded asked={allowed} rows={6}>
        {() => (
          <Loaded asked={tools} rows={6}>
            {(list) =>
              list.length === 0 ? (
                <Empty title={w.none} />
              ) : mayChange ? (
                <div class="fields">
                  {list.map(({ toolId, toolTitle, riskLevel }) => (
                    <Check
                      key={toolId}
                      label={toolTitle || toolId}
                      hint={w.risk[riskLevel]}
                      value={now.has(toolId)}
                      onChange={(isOn) => turn(toolId, isOn)}
                    />
                  ))}
                </div>
              ) : (
                <ul>
                  {list
                    .filter(({ toolId }) => now.has(toolId))
                    .map(({ toolId, toolTitle }) => (
                      <li key={toolId}>
                        <bdi>{toolTitle || toolId}</bdi>
                      </li>
                    ))}
                </ul>
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}
