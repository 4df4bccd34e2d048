import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { query } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { optionsIn } from '../../part/control/field.tsx';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Order, orderIn } from '../../part/control/order.tsx';
import { Search, Tabs } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { Views } from '../../part/views.tsx';
import { ruleFormWords } from '../../word/rule-form.ts';
import { rulesWords } from '../../word/rules.ts';
import { contentOf } from './draft/rule-draft.ts';
import { Row, type Watched } from './rule-row.tsx';

const TABS = ['all', 'on', 'off'] as const;
const FLAGS = { all: undefined, on: 'ENABLE', off: 'DISABLE' } as const;
const ORDERS = bounds['POST /data/rule/list'].orderBy.values;
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
    orderBy: orderIn(ORDERS),
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
          options={optionsIn(TABS, w.tabs)}
        />
        <Search label={w.search} name="name" page="page" />
        <Order orders={ORDERS} page="page" />
      </div>
      <Views path="/rules" />
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

type Rule = Schemas['Rule'];

/** The names of what rules watch: a point of every device that has it, or an event or report of one device. */
function useWatched(rules: readonly Rule[]): (rule: Rule) => Watched {
  const w = rulesWords();
  const of = (...targets: Rule['alarmTargetTypeFlag'][]) =>
    rules
      .filter((rule) => targets.includes(rule.alarmTargetTypeFlag) && rule.entityId !== '0')
      .map(({ entityId }) => entityId);
  const points = useNames('point', of('POINT'));
  const devices = useNames('device', of('DEVICE', 'EVENT'));
  const drivers = useNames('driver', of('DRIVER'));
  return (rule) => {
    const { alarmTargetTypeFlag: target, entityId } = rule;
    if (target === 'POINT')
      return {
        what: entityId === '0' ? w.anyPoint : (points[entityId] ?? null),
        where: contentOf(rule).devices ? w.every.chosen : w.every.POINT,
      };
    const names = target === 'DRIVER' ? drivers : devices;
    const where = entityId === '0' ? w.every[target] : (names[entityId] ?? null);
    return { what: ruleFormWords().targets[target], where };
  };
}

function useNames(noun: 'point' | 'device' | 'driver', ids: string[]): Record<string, string> {
  const given = { ids: [...new Set(ids)] };
  const isAsked = given.ids.length > 0 && may(`svc-center-manager:${noun}:list`);
  const points = useAsk(
    'POST /manager/point/list_by_ids',
    isAsked && noun === 'point' ? given : null,
  );
  const devices = useAsk(
    'POST /manager/device/list_by_ids',
    isAsked && noun === 'device' ? given : null,
  );
  const drivers = useAsk(
    'POST /manager/driver/list_by_ids',
    isAsked && noun === 'driver' ? given : null,
  );
  return Object.fromEntries([
    ...Object.values(points.data ?? {}).map(({ id, pointName }) => [id, pointName]),
    ...Object.values(devices.data ?? {}).map(({ id, deviceName }) => [id, deviceName]),
    ...Object.values(drivers.data ?? {}).map(({ id, driverName }) => [id, driverName]),
  ]);
}
