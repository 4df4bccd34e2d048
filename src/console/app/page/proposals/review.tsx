import type { Action } from '../../../card/action.ts';
import { useAsk } from '../../client/ask.ts';
import type { Parameters } from '../../client/route.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { actionState } from '../../part/value/state.ts';
import { reviewWords } from '../../word/review.ts';
import { Proposal, useCard } from './card.tsx';

/** `/review/:id`: one proposal, its decision, and what became of it. */
export function Review({ id = '' }: Parameters) {
  const asked = useAsk('GET /agentic/action/get', { actionId: id });
  useAgainOn(['action', 'command'], asked.again);
  if (asked.data === null)
    return (
      <Page title={reviewWords().title}>
        <Loaded asked={asked} rows={6} tall>
          {() => null}
        </Loaded>
      </Page>
    );
  return <Card latest={asked.data} again={asked.again} />;
}

function Card({ latest, again }: { latest: Action; again(): void }) {
  const card = useCard(latest);
  return (
    <Page title={reviewWords().title} state={<Chip {...actionState(card.action.status)} />}>
      <Proposal card={card} again={again} />
    </Page>
  );
}
