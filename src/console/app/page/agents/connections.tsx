import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty, Failed } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';
import { modeState } from './switch.tsx';

type Connection = Schemas['McpConnection'];

const nameOf = ({ connectionName, clientId }: Connection): string => connectionName || clientId;

/** Connections of MCP clients: used when, held to reading, revoked. */
export function Connections() {
  const w = agentsWords().connections;
  const maySee = may('svc-center-auth:mcp:list');
  const asked = useAsk('POST /auth/mcp/connection/list', maySee ? {} : null);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <List asked={asked} rows={4} tall none={<Empty title={w.none}>{w.next}</Empty>}>
        {(each) => <Row key={each.id} connection={each} again={asked.again} />}
      </List>
    </Section>
  );
}

function Row({ connection, again }: { connection: Connection; again(): void }) {
  const w = agentsWords().connections;
  const hold = useAct('POST /auth/mcp/connection/read_only', again);
  const revoke = useAct('POST /auth/mcp/connection/revoke', again);
  const restore = useAct('POST /auth/mcp/connection/restore', again);
  const { id, revokeTime } = connection;
  const isHeld = connection.readOnlyFlag === 1;
  const isRevoked = revokeTime !== null;
  const failure = hold.failure ?? restore.failure;
  return (
    <li>
      <div class="row">
        {isRevoked ? (
          <Chip tone="idle" shape="bar" word={w.revoked} />
        ) : (
          <Chip {...modeState(isHeld ? 'READ_ONLY' : 'ON')} />
        )}
        <Link to={`/agents/connection/${id}`}>
          <bdi class="strong">{nameOf(connection)}</bdi>
        </Link>
        <span class="quiet">
          {w.used} <Ago at={connection.lastUsedTime} />
        </span>
        {may('svc-center-auth:mcp:update') && (
          <div class="actions">
            {isRevoked ? (
              <Button isBusy={restore.isRunning} onPress={() => void restore.run({ id })}>
                {w.restore}
              </Button>
            ) : (
              <>
                <Button
                  isBusy={hold.isRunning}
                  onPress={() => void hold.run({ id, readOnly: !isHeld })}
                >
                  {isHeld ? w.release : w.hold}
                </Button>
                <AskButton
                  word={w.revoke}
                  title={w.question(nameOf(connection))}
                  act={revoke}
                  run={() => revoke.run({ id })}
                >
                  <p>{w.means}</p>
                </AskButton>
              </>
            )}
          </div>
        )}
      </div>
      {failure && <Failed failure={failure} />}
    </li>
  );
}
