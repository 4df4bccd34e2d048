import { isWrite, valueOf } from '../../card/action.ts';
import { Title } from '../../card/title.tsx';
import type { Schemas } from '../client/operations.ts';
import { Empty } from '../part/control/loaded.tsx';
import { Link } from '../part/link.tsx';
import { Section } from '../part/page.tsx';
import { Chip } from '../part/value/mark.tsx';
import { actionState } from '../part/value/state.ts';
import { Ago } from '../part/value/time.tsx';
import { overviewWords } from '../word/overview.ts';

type Given = Pick<Schemas['Handover'], 'pending' | 'unknownWrites'>;

/** Proposals that wait for a decision, and writes of which is not known whether they happened. */
export function Waiting({ pending, unknownWrites }: Given) {
  const w = overviewWords();
  if (pending === null && unknownWrites === null) return null;
  const isEmpty = (pending?.length ?? 0) + (unknownWrites?.length ?? 0) === 0;
  return (
    <Section title={w.waiting.title} actions={<Link to="/proposals">{w.all}</Link>}>
      {isEmpty && <Empty title={w.waiting.none}>{w.waiting.next}</Empty>}
      <ul class="list">
        {pending?.map((action) => (
          <li key={action.actionId}>
            <div class="row">
              <Chip {...actionState(action.status)} />
              <span class="quiet">
                {w.waiting.ends} <Ago at={action.expiresAt} />
              </span>
            </div>
            <Link to={`/review/${action.actionId}`}>
              <Title action={action} />
            </Link>
            {isWrite(action) && (
              <p class="tabular">
                <bdi class="quiet">{valueOf(action) ?? w.waiting.unknown}</bdi>
                {' → '}
                <bdi class="strong">{action.proposedValue}</bdi> <small>{action.unit}</small>
                {action.steps.length > 1 && (
                  <small class="quiet"> {w.waiting.more(action.steps.length - 1)}</small>
                )}
              </p>
            )}
            <small class="quiet">
              <bdi>{action.proposerName}</bdi>
            </small>
          </li>
        ))}
        {unknownWrites?.map((write) => (
          <li key={write.commandId}>
            <div class="row">
              <Chip {...actionState('UNKNOWN')} />
              <Ago at={write.occurTime} isQuiet />
            </div>
            <Link to={`/devices/${write.deviceId}`}>
              <bdi class="strong">{write.pointName}</bdi> · <bdi>{write.deviceName}</bdi>
            </Link>
            <p lang="en">{write.say}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
