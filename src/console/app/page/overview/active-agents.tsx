import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { callState } from '../../part/call-state.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { overviewWords } from '../../word/overview.ts';

const SHOWN = 5;

/** What agents did last, and whether they may act. */
export function ActiveAgents() {
  const w = overviewWords();
  const maySee = may('svc-center-auth:mcp:list');
  const calls = useAsk('POST /auth/mcp/audit/list', maySee ? { limit: SHOWN } : null);
  const mode = useAsk('GET /auth/mcp/switch/get', maySee ? {} : null);
  useAgainOn(['action'], calls.again);
  if (!maySee) return null;
  return (
    <Section title={w.acting.title} actions={<Link to="/agents">{w.all}</Link>}>
      {mode.data && mode.data.mode !== 'ON' && (
        <p>
          <Chip tone="warning" shape="bar" word={w.acting.mode[mode.data.mode]} />
        </p>
      )}
      <Loaded asked={calls} rows={3}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={w.acting.none}>
              <Link to="/agents/connect">{w.acting.connect}</Link>
            </Empty>
          ) : (
            <ul class="list">
              {list.map((each) => (
                <li key={each.id}>
                  <div class="row">
                    <Chip {...callState(each.status)} />
                    <span class="quiet">
                      <Ago at={each.createTime} />
                    </span>
                  </div>
                  <p>
                    <bdi class="strong">{each.toolName}</bdi>{' '}
                    <bdi class="quiet">{each.clientName}</bdi>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
