import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Search, Tabs } from '../../part/control/search.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { titleOf } from '../../route/pages.ts';
import { query, setQuery } from '../../route/route.ts';
import { alarmsWords } from '../../word/alarms.ts';
import { partWords } from '../../word/part.ts';
import { Row } from './row.tsx';

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
