import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { overviewWords } from '../../word/overview.ts';
import { ActiveAgents } from './active-agents.tsx';
import { Alarms } from './alarms.tsx';
import { Favourites } from './favourites.tsx';
import { Figures } from './figures.tsx';
import { Unavailable } from './unavailable.tsx';
import { Waiting } from './waiting.tsx';

/** What needs eyes first, then who acts, then favourites and how much goes on. */
export function Overview() {
  const w = overviewWords();
  const handover = useAsk('GET /agentic/handover/get', {});
  useAgainOn(['action', 'alarm', 'command', 'device'], handover.again);
  const eyes = handover.data && eyesOn(handover.data);
  return (
    <Page
      title={w.title}
      state={
        eyes !== null &&
        (eyes > 0 ? (
          <Chip tone="warning" shape="triangle" word={w.eyes(eyes)} />
        ) : (
          <Chip tone="good" shape="check" word={w.calm} />
        ))
      }
    >
      <Loaded asked={handover} rows={6} tall>
        {({ pending, unknownWrites, alarms, outages, silentPoints }) => (
          <div class="board">
            <Waiting pending={pending} unknownWrites={unknownWrites} />
            <Alarms alarms={alarms} />
            <Unavailable outages={outages} silentPoints={silentPoints} />
            <ActiveAgents />
          </div>
        )}
      </Loaded>
      <Favourites />
      <Figures />
    </Page>
  );
}

/** How many things of a handover a person should look at. */
const eyesOn = ({ alarms, outages, pending, unknownWrites }: Schemas['Handover']): number =>
  (alarms?.firing ?? 0) +
  (outages?.offline ?? 0) +
  (pending?.length ?? 0) +
  (unknownWrites?.length ?? 0);
