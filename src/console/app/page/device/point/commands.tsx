import { useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { useAgainOn } from '../../../client/use-live.ts';
import { Empty, Loaded } from '../../../part/control/loaded.tsx';
import { Link } from '../../../part/link.tsx';
import { Section } from '../../../part/page.tsx';
import { titleOf } from '../../../part/pages.ts';
import { Chip, type State } from '../../../part/value/mark.tsx';
import { actionState } from '../../../part/value/state.ts';
import { Ago } from '../../../part/value/time.tsx';
import { devicesWords } from '../../../word/devices.ts';

const SHOWN = 5;

/** What was read and written on demand, the latest first, with what is known of it. */
export function Commands({ deviceId }: { deviceId: string }) {
  const w = devicesWords().commands;
  const maySee = may('svc-center-data:point_command_history:list');
  const asked = useAsk(
    'POST /data/point_command_history/list',
    maySee ? { deviceId, page: { current: 1, size: SHOWN } } : null,
  );
  useAgainOn(['command'], asked.again);
  if (!maySee) return null;
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-agentic:action:get') && (
          <Link to={`/proposals?deviceId=${deviceId}`}>{titleOf('/proposals')}</Link>
        )
      }
    >
      <Loaded asked={asked} rows={3} none={<Empty title={w.none} />}>
        {({ records }) => (
          <ul class="list">
            {records.map((receipt) => (
              <li key={receipt.commandId}>
                <div class="row">
                  <Chip {...outcomeState(receipt.outcome)} />
                  <Ago at={receipt.occurTime} isQuiet />
                  {receipt.actionId !== null && (
                    <Link to={`/review/${receipt.actionId}`}>
                      <bdi>{receipt.pointName}</bdi>
                    </Link>
                  )}
                </div>
                <p lang="en">{receipt.say}</p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

export function outcomeState(outcome: Schemas['Receipt']['outcome']): State {
  const word = devicesWords().outcome[outcome];
  return { ...actionState(outcome === 'UNDERWAY' ? 'CONFIRMED' : outcome), word };
}
