import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may, session } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { DeviceFilter, GroupFilter } from '../../part/control/device-filter.tsx';
import { Check, Choice, optionsIn } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Order, orderIn } from '../../part/control/order.tsx';
import { Search, Tabs } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip } from '../../part/value/mark.tsx';
import { alarmState, levelState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { Views } from '../../part/views.tsx';
import { alarmsWords } from '../../word/alarms.ts';
import { partWords } from '../../word/part.ts';
import { ConfirmWhich } from './confirm-many.tsx';
import { Confirm } from './confirm.tsx';

type Tab = 'open' | 'recovered' | 'closed';

const TABS: readonly Tab[] = ['open', 'recovered', 'closed'];
const STATES = { open: undefined, recovered: 'RECOVERED', closed: 'CLOSED' } as const;
const OF = ['all', 'mine', 'silenced'] as const;
const LEVELS = bounds['POST /data/dashboard/alert/search'].level.values;
const ORDERS = bounds['POST /data/dashboard/alert/search'].orderBy.values;
const SIZE = 30;

const Related = () => (
  <>
    <Link to="/wall">{titleOf('/wall')}</Link>
    {may('svc-center-data:dashboard:get') && (
      <Link to="/alarms/performance">{titleOf('/alarms/performance')}</Link>
    )}
    {may('svc-center-data:rule:list') && <Link to="/rules">{alarmsWords().rules}</Link>}
    {may('svc-center-data:maintenance:list') && (
      <Link to="/maintenance">{titleOf('/maintenance')}</Link>
    )}
    {may('svc-center-data:notify:list') && (
      <Link to="/notifications">{titleOf('/notifications')}</Link>
    )}
  </>
);

/** `/alarms`: what fires or waits for a confirmation, what has recovered, what is closed. */
export function Alarms() {
  const w = alarmsWords();
  const tab = TABS.find((each) => each === query.value.get('state')) ?? 'open';
  const after = query.value.get('after') ?? undefined;
  const text = query.value.get('query') ?? undefined;
  const of = OF.find((each) => each === query.value.get('of')) ?? 'all';
  const self = session.value?.person.principalId;
  const level = LEVELS.find((each) => each === query.value.get('level'));
  const narrowed = {
    level,
    deviceId: query.value.get('deviceId') ?? undefined,
    groupId: query.value.get('groupId') ?? undefined,
    ...(of === 'mine' && self !== undefined && { assigneeId: self }),
    ...(of === 'silenced' && { silenced: true as const }),
  };
  const asked = useAsk('POST /data/dashboard/alert/search', {
    state: STATES[tab],
    query: text,
    ...narrowed,
    orderBy: orderIn(ORDERS),
    limit: SIZE,
    after,
  });
  useAgainOn(['alarm'], asked.again);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const mayConfirm = may('svc-center-data:alarm:confirm') && tab !== 'closed';
  return (
    <Page actions={<Related />}>
      <Filters tab={tab} of={of} level={level} />
      <Views path="/alarms" />
      <Loaded asked={asked} rows={5} tall>
        {({ alarms, counts, next }) => (
          <>
            <p class="quiet" role="status">
              {w.counts(counts.firing, counts.recoveredUnconfirmed)}
            </p>
            {alarms.length === 0 && next === null && <Empty title={w.none[tab]} />}
            {mayConfirm && alarms.some(({ confirmed }) => !confirmed) && (
              <Many
                ids={alarms.flatMap(({ alarmId }) => (chosen.includes(alarmId) ? [alarmId] : []))}
                which={{ all: true, state: STATES[tab], query: text, ...narrowed }}
                again={() => {
                  setChosen([]);
                  asked.again();
                }}
              />
            )}
            <ul class="list">
              {alarms.map((alarm) => (
                <Row
                  key={alarm.alarmId}
                  alarm={alarm}
                  again={asked.again}
                  isChosen={chosen.includes(alarm.alarmId)}
                  choose={
                    mayConfirm && !alarm.confirmed
                      ? (isOn) =>
                          setChosen((before) => [
                            ...before.filter((each) => each !== alarm.alarmId),
                            ...(isOn ? [alarm.alarmId] : []),
                          ])
                      : null
                  }
                />
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

type FiltersGiven = {
  tab: Tab;
  of: (typeof OF)[number];
  level: (typeof LEVELS)[number] | undefined;
};

/** What the list is narrowed to; kept in the address. */
function Filters({ tab, of, level }: FiltersGiven) {
  const w = alarmsWords();
  return (
    <div class="row filters">
      <Tabs
        label={w.state}
        name="state"
        page="after"
        value={tab}
        options={optionsIn(TABS, w.tabs)}
      />
      <Choice
        label={w.of}
        value={of}
        onChange={(which) => setQuery({ of: which === 'all' ? null : which, after: null })}
        options={optionsIn(OF, w.ofs)}
      />
      <Choice
        label={partWords().filter.level}
        value={level ?? ''}
        onChange={(which) => setQuery({ level: which, after: null })}
        options={[
          ['', partWords().filter.all],
          ...LEVELS.map((each) => [each, levelState(each).word] as const),
        ]}
      />
      <GroupFilter page="after" />
      <DeviceFilter page="after" />
      <Search label={w.search} name="query" page="after" />
      <Order orders={ORDERS} page="after" />
    </div>
  );
}

type ManyGiven = {
  ids: string[];
  which: InputOf<'POST /data/dashboard/alert/to_confirm'>;
  again(): void;
};

/** Confirms the chosen alarms, or all that the list finds. */
function Many({ ids, which, again }: ManyGiven) {
  const w = alarmsWords().many;
  return (
    <div class="row">
      {ids.length > 0 && (
        <Opener word={w.chosen(ids.length)}>
          {(close) => <ConfirmWhich which={{ ids }} again={again} onClose={close} />}
        </Opener>
      )}
      <Opener word={w.all}>
        {(close) => <ConfirmWhich which={which} again={again} onClose={close} />}
      </Opener>
    </div>
  );
}

type Given = {
  alarm: Schemas['ListedAlarm'];
  again(): void;
  isChosen: boolean;
  /** Null where it cannot be chosen. */
  choose: ((isOn: boolean) => void) | null;
};

/** One alarm: how urgent, since when, where, what, and its confirmation. */
function Row({ alarm, again, isChosen, choose }: Given) {
  const w = alarmsWords();
  const missed = alarm.notified.filter(({ ok }) => !ok).length;
  return (
    <li class="alarm">
      <div class="row">
        <Chip {...levelState(alarm.level)} />
        <Chip {...alarmState(alarm)} />
        <Ago at={alarm.since} isQuiet />
        {alarm.acknowledged !== null && !alarm.confirmed && (
          <Chip tone="idle" shape="check" word={w.acknowledged} />
        )}
        {alarm.silenced !== null && <Chip tone="idle" shape="bar" word={w.silenced} />}
        {alarm.assignee !== null && (
          <span class="quiet">
            {w.assigned} <bdi>{alarm.assignee.name}</bdi>
          </span>
        )}
        {alarm.maintenance !== null && <Chip tone="idle" shape="bar" word={w.maintenance} />}
        {alarm.occurrences > 1 && <span class="quiet">{w.found(alarm.occurrences)}</span>}
      </div>
      <div class="row">
        <Link to={`/alarms/${alarm.alarmId}`}>
          <bdi class="strong">{alarm.ruleName ?? alarm.message}</bdi>
        </Link>
        <div class="actions">
          {choose && (
            <Check
              label={w.many.choose}
              name={`${w.many.choose} ${alarm.ruleName ?? alarm.message}`}
              value={isChosen}
              onChange={choose}
            />
          )}
          <Confirm alarm={alarm} again={again} />
        </div>
      </div>
      <p>
        {alarm.value !== null && <bdi class="strong tabular">{alarm.value} </bdi>}
        {alarm.condition !== null && <bdi class="quiet">{alarm.condition}</bdi>}
      </p>
      <small class="quiet">
        <bdi>{alarm.pointName}</bdi>
        {alarm.pointName !== null && alarm.deviceName !== null && ' · '}
        <bdi>{alarm.deviceName ?? alarm.driverName}</bdi>
        {missed > 0 && ` · ${w.missed(missed)}`}
      </small>
    </li>
  );
}
