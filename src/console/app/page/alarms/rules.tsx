import { useAsk } from '../../client/ask.ts';
import { query } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Search, Tabs } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { rulesWords } from '../../word/rules.ts';
import { Row } from './rule-row.tsx';
import { useWatched } from './rule-watched.ts';

const TABS = ['all', 'on', 'off'] as const;
const FLAGS = { all: undefined, on: 'ENABLE', off: 'DISABLE' } as const;
const SIZE = 30;
const MOST = 100;

/** `/rules`: every rule of the tenant, found by name and by whether it is switched on. */
export function Rules() {
  const w = rulesWords();
  const tab = TABS.find((each) => each === query.value.get('state')) ?? 'all';
  const ruleName = query.value.get('name') ?? undefined;
  const asked = useAsk('POST /data/rule/list', {
    ruleName,
    enableFlag: FLAGS[tab],
    page: pageIn('page', SIZE),
  });
  const firing = useAsk(
    'POST /data/rule/state/list',
    may('svc-center-data:rule_state:list')
      ? { entityStateFlag: 'FIRING', page: { current: 1, size: MOST } }
      : null,
  );
  useAgainOn(['alarm'], firing.again);
  const watched = useWatched(asked.data?.records ?? []);
  const states = firing.data?.records ?? [];
  const again = (): void => {
    asked.again();
    firing.again();
  };
  return (
    <Page
      title={w.title}
      state={asked.data && <span class="quiet tabular">{w.total(asked.data.total)}</span>}
      actions={may('svc-center-data:rule:add') && <Link to="/rules/new">{w.make}</Link>}
    >
      <p class="quiet">{w.lead}</p>
      <div class="row filters">
        <Tabs
          label={w.state}
          name="state"
          page="page"
          value={tab}
          options={TABS.map((each) => [each, w.tabs[each]] as const)}
        />
        <Search label={w.search} name="name" page="page" />
      </div>
      <List
        asked={asked}
        page="page"
        rows={5}
        tall
        none={
          <Empty title={ruleName === undefined && tab === 'all' ? w.none : w.noneFound}>
            {may('svc-center-data:rule:add') && <Link to="/rules/new">{w.make}</Link>}
          </Empty>
        }
      >
        {(rule) => (
          <Row
            key={rule.id}
            rule={rule}
            watched={watched(rule)}
            firing={{
              count: states.filter(({ ruleId }) => ruleId === rule.id).length,
              isAll: firing.data !== null && firing.data.total <= MOST,
            }}
            again={again}
          />
        )}
      </List>
    </Page>
  );
}
