import { clientsFor } from '../../../clients.ts';
import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { callState } from '../../part/call-state.ts';
import { Copy } from '../../part/control/copy.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { connectWords } from '../../word/connection.ts';
import { NewKey } from './keys.tsx';

/** `/agents/connect`: the line for each client, a key for those without a browser, and the first call. */
export function Connect() {
  const w = connectWords();
  const url = `${location.origin}/mcp`;
  return (
    <Page title={w.title}>
      <Section title={w.address.title}>
        <p>{w.address.text}</p>
        <Copy text={url} label={w.address.title} />
      </Section>
      <Section title={w.client.title}>
        <p>{w.client.text}</p>
        <ul class="list">
          {clientsFor(url).map(([client, where, text]) => (
            <li key={client}>
              <p>
                <span class="strong">{client}</span>{' '}
                <span class="quiet" lang="en">
                  {where}
                </span>
              </p>
              <Copy text={text} label={client} />
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title={w.key.title}
        actions={<Opener word={w.key.make}>{(close) => <NewKey onClose={close} />}</Opener>}
      >
        <p>{w.key.text}</p>
      </Section>
      <FirstCall />
    </Page>
  );
}

const EVERY_MS = 3_000;

/** The newest call of an agent: how a person sees that the connection works. */
function FirstCall() {
  const w = connectWords().call;
  const asked = useAsk(
    'POST /auth/mcp/audit/list',
    may('svc-center-auth:mcp:list') ? { limit: 1 } : null,
  );
  useEvery(EVERY_MS, asked.again);
  const [call] = asked.data ?? [];
  if (asked.failure) return null;
  return (
    <Section title={w.title}>
      <div aria-live="polite">
        {call ? (
          <p class="row">
            <Chip {...callState(call.status)} />
            <bdi class="strong">{call.toolName}</bdi>
            <bdi class="quiet">{call.clientName || call.clientId}</bdi>
            <Ago at={call.createTime} />
          </p>
        ) : (
          <p class="quiet">{w.none}</p>
        )}
      </div>
      <Link to="/agents">{w.all}</Link>
    </Section>
  );
}
