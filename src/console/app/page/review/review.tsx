import { useAsk } from '../../client/ask.ts';
import { useAgainOn, useWatch } from '../../live/use-live.ts';
import { Loaded } from '../../part/loaded.tsx';
import { Chip } from '../../part/mark.tsx';
import { Page } from '../../part/page.tsx';
import { actionState } from '../../part/state.ts';
import type { Parameters } from '../../route/route.ts';
import { reviewWords } from '../../word/review.ts';
import { type Action, isOpen, writesOf } from './action.ts';
import { Decide } from './decide.tsx';
import { Notes } from './notes.tsx';
import { Origin, Reason } from './origin.tsx';
import { Outcome } from './outcome.tsx';
import { Renewed } from './renewed.tsx';
import { useCard } from './use-card.ts';
import { WriteCard } from './write-card.tsx';

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
  const { action, fresh, look } = useCard(latest);
  const writes = writesOf(action);
  useWatch(
    writes.map(({ deviceId, pointId }) => `${deviceId}:${pointId}`),
    writes.map(({ deviceId }) => deviceId),
  );
  return (
    <Page title={reviewWords().title} state={<Chip {...actionState(action.status)} />}>
      <div class="review">
        {fresh && <Renewed fresh={fresh} look={look} />}
        {writes.map((write, index) => (
          <WriteCard
            key={`${write.deviceId}:${write.pointId}`}
            write={write}
            number={writes.length > 1 ? index + 1 : null}
            step={action.steps[index] ?? null}
            isOpen={isOpen(action)}
          />
        ))}
        <Reason action={action} />
        <Notes action={action} />
        <Outcome action={action} />
        <Origin action={action} />
      </div>
      {isOpen(action) && <Decide action={action} isRenewed={fresh !== null} again={again} />}
    </Page>
  );
}
