import { useAsk } from '../../client/ask.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { proposalsWords } from '../../word/proposal/proposals.ts';
import { Decided } from './decided.tsx';
import { Row } from './row.tsx';

/** As many as the endpoint gives. */
const MOST = 100;

/** `/proposals`: what waits for a decision, the oldest first, then what was decided. */
export function Proposals() {
  const w = proposalsWords();
  const pending = useAsk('GET /agentic/action/pending', {});
  useAgainOn(['action'], pending.again);
  const count = pending.data?.length ?? 0;
  return (
    <Page
      title={w.title}
      state={count > 0 && <Chip tone="info" shape="ring" word={w.waits(count)} />}
    >
      <Section title={w.pending.title}>
        <Loaded asked={pending} rows={3} tall>
          {(actions) => (
            <>
              {actions.length === 0 && <Empty title={w.pending.none}>{w.pending.next}</Empty>}
              <ul class="list">
                {actions.map((action) => (
                  <Row key={action.actionId} action={action} />
                ))}
              </ul>
              {actions.length === MOST && <p class="quiet">{w.most(MOST)}</p>}
            </>
          )}
        </Loaded>
      </Section>
      <Decided />
    </Page>
  );
}
