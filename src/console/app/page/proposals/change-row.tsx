import type { Schemas } from '../../client/operations.ts';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { changesWords } from '../../word/changes.ts';

type Change = Schemas['Change'];

const KINDS = {
  configuration: { tone: 'idle', shape: 'square' },
  decision: { tone: 'info', shape: 'half' },
  write: { tone: 'good', shape: 'disc' },
} as const;

const kindState = (kind: Change['kind']): State => ({
  ...KINDS[kind],
  word: changesWords().kind[kind],
});

const NONE = '0';

/** One change: what, where, from what to what, by whom and through which door. */
export function Row({ change }: { change: Change }) {
  const w = changesWords();
  return (
    <li>
      <div class="row">
        <Chip {...kindState(change.kind)} />
        <span class="quiet">
          <Ago at={change.at} />
        </span>
        <span>
          <bdi class="strong">{change.actorName || w.platform}</bdi>{' '}
          <span class="quiet">{doorOf(change.via)}</span>
        </span>
      </div>
      {change.say === '' ? (
        <p lang="en">
          {change.pointName !== '' && <bdi class="strong">{change.pointName} · </bdi>}
          <bdi>{change.what}</bdi>
          {(change.from !== null || change.to !== null) && (
            <>
              {': '}
              <bdi class="quiet tabular">{change.from ?? w.nothing}</bdi>
              {' → '}
              <bdi class="strong tabular">{change.to ?? w.nothing}</bdi>
            </>
          )}
        </p>
      ) : (
        <p lang="en">{change.say}</p>
      )}
      <div class="row">
        {change.actionId !== null && <Link to={`/review/${change.actionId}`}>{w.proposal}</Link>}
        {change.deviceId !== NONE && change.deviceId !== '' && (
          <Link to={`/devices/${change.deviceId}`}>
            <bdi>{change.deviceName || change.deviceId}</bdi>
          </Link>
        )}
      </div>
    </li>
  );
}

function doorOf(via: string): string {
  const { doors } = changesWords();
  return Object.entries(doors).find(([door]) => door === via)?.[1] ?? via;
}
