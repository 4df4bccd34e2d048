import { useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import { now } from '../../../client/clock.ts';
import type { Schemas } from '../../../client/operations.ts';
import { query, setQuery } from '../../../client/route.ts';
import { useAgainOn } from '../../../client/use-live.ts';
import { Button } from '../../../part/control/button.tsx';
import { DeviceFilter } from '../../../part/control/device-filter.tsx';
import { Choice, optionsIn } from '../../../part/control/field.tsx';
import { Further, List } from '../../../part/control/list.tsx';
import { Empty } from '../../../part/control/loaded.tsx';
import { SaveButton } from '../../../part/control/save-button.tsx';
import { Search } from '../../../part/control/search.tsx';
import { Link } from '../../../part/link.tsx';
import { Page } from '../../../part/page.tsx';
import { Chip, type State } from '../../../part/value/mark.tsx';
import { Ago } from '../../../part/value/time.tsx';
import { Views } from '../../../part/views.tsx';
import { changesWords } from '../../../word/changes.ts';
import { versionWords } from '../../../word/version.ts';
import { Configured } from './change-sentence.tsx';
import { SetBack } from './set-back.tsx';

const SIZE = 30;
const DAY_MS = 86_400_000;
const SPANS = { day: 1, week: 7, month: 30 } as const;
type Span = keyof typeof SPANS;

/** `/changes`: what was configured, proposed, decided and written, by whom and through which door. */
export function Changes() {
  const w = changesWords();
  const given = query.value;
  const span = spanOf(given.get('span'));
  const cursor = given.get('after') ?? undefined;
  const kind = KINDS_ASKED.find((each) => each === given.get('kind'));
  const filter = {
    since: span && sinceOf(span),
    deviceId: given.get('deviceId') ?? undefined,
    entityType: given.get('entityType') ?? undefined,
    entityId: given.get('entityId') ?? undefined,
    kind,
    by: given.get('by') ?? undefined,
    text: given.get('text') ?? undefined,
  };
  const asked = useAsk('POST /data/change/list', { ...filter, cursor, limit: SIZE });
  useAgainOn(['action', 'command'], asked.again);
  return (
    <Page
      actions={
        <SaveButton operation="POST /data/change/export" input={filter} name={fileOf(filter.since)}>
          {w.save}
        </SaveButton>
      }
    >
      <div class="row filters">
        <Choice
          label={w.span}
          value={span ?? ''}
          onChange={(value) => setQuery({ span: value, after: null })}
          options={[
            ['', w.spans.all],
            ['day', w.spans.day],
            ['week', w.spans.week],
            ['month', w.spans.month],
          ]}
        />
        <Choice
          label={w.what}
          value={kind ?? ''}
          onChange={(value) => setQuery({ kind: value, after: null })}
          options={[['', w.spans.any], ...optionsIn(KINDS_ASKED, w.kinds)]}
        />
        <DeviceFilter page="after" />
        <Search label={w.by} name="by" page="after" />
        <Search label={w.text} name="text" page="after" />
      </div>
      <Views path="/changes" />
      {filter.entityId !== undefined && (
        <div class="row">
          <span>{versionWords().only}</span>
          <Button
            onPress={() => setQuery({ entityType: null, entityId: null, after: null }, false)}
          >
            {versionWords().all}
          </Button>
        </div>
      )}
      <List asked={asked} rows={6} tall none={<Empty title={w.none} />}>
        {(change) => (
          <Row
            key={`${change.at} ${change.entityId} ${change.operation}`}
            change={change}
            changed={asked.again}
          />
        )}
      </List>
      {asked.data && <Further next={asked.data.nextCursor} />}
    </Page>
  );
}

const KINDS_ASKED = bounds['POST /data/change/list'].kind.values;

const fileOf = (since: string | undefined): string =>
  `changes${since === undefined ? '' : `-since-${since.slice(0, 10)}`}.csv`;

const spanOf = (given: string | null): Span | undefined =>
  given === 'day' || given === 'week' || given === 'month' ? given : undefined;

/** Of the begin of an hour, so that an answer is asked for once and not at each drawing. */
const sinceOf = (span: Span): string => {
  const hour = 3_600_000;
  return new Date(Math.floor(now() / hour) * hour - SPANS[span] * DAY_MS).toISOString();
};

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
function Row({ change, changed }: { change: Change; changed(): void }) {
  const w = changesWords();
  return (
    <li>
      <div class="row">
        <Chip {...kindState(change.kind)} />
        <Ago at={change.at} isQuiet />
        <span>
          <bdi class="strong">{change.actorName || w.platform}</bdi>{' '}
          <span class="quiet">{doorOf(change.via)}</span>
        </span>
      </div>
      {change.kind === 'configuration' ? (
        <Configured change={change} />
      ) : change.say === '' ? (
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
        <SetBack change={change} changed={changed} />
      </div>
    </li>
  );
}

function doorOf(via: string): string {
  const { doors } = changesWords();
  return Object.entries(doors).find(([door]) => door === via)?.[1] ?? via;
}
