import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn, useEvery } from '../../client/use-live.ts';
import { callState } from '../../part/call-state.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Table } from '../../part/control/table.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { accountsWords } from '../../word/accounts.ts';
import { agentsWords } from '../../word/agents.ts';
import { Connections } from './connections.tsx';
import { Keys, Programs } from './keys.tsx';
import { Switch } from './switch.tsx';

/** `/agents`: what agents may do, which are connected, with which keys, and what they do. */
export const Agents = () => (
  <Page
    actions={
      <>
        <Link to="/agents/accounts">{accountsWords().title}</Link>
        <Link to="/agents/connect">{agentsWords().connect}</Link>
      </>
    }
  >
    <Switch />
    <Connections />
    <Keys />
    <Programs />
    <Activity />
  </Page>
);

const SHOWN = 50;

const EVERY_MS = 5_000;

/** The last calls of agents, or of one account: which tool, through which client, and how it went. */
export function Activity({ principalId }: { principalId?: string }) {
  const w = agentsWords().activity;
  const maySee = may('svc-center-auth:mcp:list');
  const asked = useAsk(
    'POST /auth/mcp/audit/list',
    maySee ? { limit: SHOWN, ...(principalId !== undefined && { principalId }) } : null,
  );
  useEvery(EVERY_MS, asked.again);
  useAgainOn(['action', 'command'], asked.again);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <Loaded asked={asked} rows={6} none={<Empty title={w.none} />}>
        {(list) => (
          <Table columns={[[w.when], [w.tool], [w.client], [w.result], [w.took, 'number']]}>
            {list.map((each) => (
              <tr key={each.id}>
                <td>
                  <Ago at={each.createTime} />
                </td>
                <th scope="row">
                  <bdi>{each.toolName}</bdi>
                </th>
                <td>
                  <bdi>{each.clientName || each.clientId}</bdi>
                </td>
                <td>
                  <Chip {...callState(each.status)} />
                  {each.errorCode !== '' && (
                    <small class="quiet">
                      {' '}
                      <bdi>{each.errorCode}</bdi>
                    </small>
                  )}
                </td>
                <td class="number">{w.ms(Number(each.durationMs))}</td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Section>
  );
}
