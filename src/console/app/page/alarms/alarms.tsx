import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Search, Tabs } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip } from '../../part/value/mark.tsx';
import { alarmState, levelState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { alarmsWords } from '../../word/alarms.ts';
import { partWords } from '../../word/part.ts';
import { Confirm } from './confirm.tsx';

type Tab = 'open' | 'recovered' | 'closed';

const TABS: readonly Tab[] = ['open', 'recovered', 'closed'];
const STATES = { open: undefined, recovered: 'RECOVERED', closed: 'CLOSED' } as const;
const SIZE = 30;

/** `/alarms`: what fires or waits for a confirmation, what has recovered, what is closed. */
export function Alarms() {
  const w = alarmsWords();
  const tab = TABS.find((each) => each === query.value.get('state')) ?? 'open';
  const after = query.value.get('after') ?? undefined;
  const text = query.value.get('query') ?? undefined;
  const asked = useAsk('POST /data/dashboard/alert/search', {
    state: STATES[tab],
    query: text,
    limit: SIZE,
    after,
  });
  useAgainOn(['alarm'], asked.again);
  return (
    <Page
      title={w.title}
      actions={
        <>
          {may('svc-center-data:rule:list') && <Link to="/rules">{w.rules}</Link>}
          {may('svc-center-data:notify:list') && (
            <Link to="/notifications">{titleOf('/notifications')}</Link>
          )}
        </>
      }
    >
      <div class="row filters">
        <Tabs
          label={w.state}
          name="state"
          page="after"
          value={tab}
          options={TABS.map((each) => [each, w.tabs[each]] as const)}
        />
        <Search label={w.search} name="query" page="after" />
      </div>
      <Loaded asked={asked} rows={5} tall>
        {({ alarms, counts, next }) => (
          <>
            <p class="quiet" role="status">
              {w.counts(counts.firing, counts.recoveredUnconfirmed)}
            </p>
            {alarms.length === 0 && next === null && <Empty title={w.none[tab]} />}
            <ul class="list">
              {alarms.map((alarm) => (
                <Row key={alarm.alarmId} alarm={alarm} again={asked.again} />
              ))}
            </ul>
            <div class="row">
              {after !== undefined && (
                <Button onPress={() => history.back()}>{partWords().back}</Button>
              )}
              {next !== null && (
                <Button onPress={() => setQuery({ after: next }, false)}>{partWords().next}</Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Given = { alarm: Schemas['ListedAlarm']; again(): void };

/** One alarm: how urgent, since when, where, what, and its confirmation. */
function Row({ alarm, again }: Given) {
  const w = alarmsWords();
  const missed = alarm.notified.filter(({ ok }) => !ok).length;
  return (
    <li class="alarm">
      <div class="row">
        <Chip {...levelState(alarm.level)} />
        <Chip {...alarmState(alarm)} />
        <Ago at={alarm.since} isQuiet />
        {alarm.silenced !== null && <Chip tone="idle" shape="bar" word={w.silenced} />}
        {alarm.occurrences > 1 && <span class="quiet">{w.times(alarm.occurrences)}</span>}
      </div>
      <div class="row">
        <Link to={`/alarms/${alarm.alarmId}`}>
          <bdi class="strong">{alarm.ruleName ?? alarm.message}</bdi>
        </Link>
        <div class="actions">
          <Confirm alarm={alarm} again={again} />
        </div>
      </div>
      <p>
        {alarm.value !== null && <bdi class="strong tabular">{alarm.value} </bdi>}
        {alarm.condition !== null && <bdi class="quiet">{alarm.condition}</bdi>}
      </p>
      <small class="quiet">
        <bdi>{alarm.pointName}</bdi>
        {alarm.pointName !== null && ' · '}
        <bdi>{alarm.deviceName ?? alarm.driverName}</bdi>
        {missed > 0 && ` · ${w.missed(missed)}`}
      </small>
    </li>
  );
}
