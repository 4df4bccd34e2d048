import { useEffect, useState } from 'preact/hooks';

import { type Asked, useAsk } from '../../client/ask.ts';
import { useAwake } from '../../client/awake.ts';
import { bounds } from '../../client/bounds.ts';
import { now, plantZone, ticking } from '../../client/clock.ts';
import { link, livePresence } from '../../client/live.ts';
import type { Schemas } from '../../client/operations.ts';
import { holder, may } from '../../client/session.ts';
import { useAgainOn, useEvery, useWatch } from '../../client/use-live.ts';
import { linkState } from '../../part/link-state.ts';
import { Link } from '../../part/link.tsx';
import { useTitle } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip, Note } from '../../part/value/mark.tsx';
import { alarmState, levelState } from '../../part/value/state.ts';
import { Ago, Moment, momentText } from '../../part/value/time.tsx';
import { alarmsWords } from '../../word/alarms.ts';
import { overviewWords } from '../../word/overview.ts';
import { wallWords } from '../../word/wall.ts';
import { Cycle } from './cycle.tsx';

const LEVELS = bounds['POST /data/dashboard/alert/search'].level.values;
/** Alarms of a level and devices, at most: the counts have all. */
const MOST = 50;
/** The stream says what begins and ends; this proves that nothing did. */
const EVERY_MS = 15_000;
const STALE_MS = 45_000;
const HOUR_MS = 3_600_000;

type Found = Asked<Schemas['FoundAlarms']>;
type Level = (typeof LEVELS)[number];

/** `/wall`: what fires and what is offline, to be read across a room; nothing in it has to be pressed. */
export function Wall() {
  const w = wallWords();
  const levels = LEVELS.map(useFiring);
  const mayDevices = may('svc-center-manager:device:list');
  const devices = useAsk(
    'POST /manager/device/list',
    mayDevices ? { situation: 'offline', page: { current: 1, size: MOST } } : null,
  );
  useAgainOn(['device'], devices.again);
  useEvery(EVERY_MS, () => {
    for (const { asked } of levels) asked.again();
    if (mayDevices) devices.again();
  });
  const devicesAt = useAnsweredAt(devices);
  const times = [...levels.map(({ at }) => at), ...(mayDevices ? [devicesAt] : [])];
  const asOf = times.reduce((one, other) =>
    one === null || other === null ? null : Math.min(one, other),
  );
  const isStale = link.value === 'away' || (asOf !== null && ticking.value - asOf > STALE_MS);
  useTitle(titleOf('/wall'));
  return (
    <div class={`wall ${isStale ? 'stale' : ''}`}>
      <Heading asOf={asOf} />
      {isStale && (
        <Note tone="danger" shape="cross" role="alert">
          {asOf === null ? w.nothing : w.stale(momentText(new Date(asOf).toISOString()))}
        </Note>
      )}
      <Counts levels={levels} devices={mayDevices ? devices : null} />
      <div class={mayDevices ? 'parts' : 'parts alone'}>
        <Firing levels={levels} />
        {mayDevices && <Offline asked={devices} />}
      </div>
      <Footer />
    </div>
  );
}

function useFiring(level: Level) {
  const asked = useAsk('POST /data/dashboard/alert/search', {
    state: 'FIRING',
    level,
    limit: MOST,
  });
  useAgainOn(['alarm'], asked.again);
  return { level, asked, at: useAnsweredAt(asked) };
}

/** When it was answered last, in ms of the server's clock; null before. */
function useAnsweredAt({ data, failure, isLoading }: Asked<unknown>): number | null {
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    if (data !== null && failure === null && !isLoading) setAt(now());
  }, [data, failure, isLoading]);
  return at;
}

/** Whose plant it is, its clock, and how current what is below is. */
function Heading({ asOf }: { asOf: number | null }) {
  const w = wallWords();
  const zone = plantZone.value;
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...(zone !== null && { timeZone: zone }),
    timeStyle: 'short',
  }).format(ticking.value);
  return (
    <header class="head">
      <h1>
        <bdi>{holder.value?.tenant.tenantName ?? titleOf('/wall')}</bdi>
      </h1>
      <p class="large tabular">{clock}</p>
      <div class="actions">
        <Chip {...linkState()} />
        <p>
          {w.asOf}{' '}
          {asOf === null ? (
            w.unknown
          ) : (
            <>
              <Moment at={new Date(asOf).toISOString()} seconds />{' '}
              <Ago at={new Date(asOf).toISOString()} isQuiet />
            </>
          )}
        </p>
      </div>
    </header>
  );
}

type Levels = readonly { level: Level; asked: Found }[];
type Devices = Asked<{ total: number; records: readonly Schemas['Device'][] }>;

/** How many fire, by level, and how many devices are offline; a dash is not known. */
function Counts({ levels, devices }: { levels: Levels; devices: Devices | null }) {
  return (
    <dl class="counts">
      {levels.map(({ level, asked }) => (
        <Count
          key={level}
          tone={levelState(level).tone}
          word={levelState(level).word}
          n={asked.data?.counts.firing ?? null}
        />
      ))}
      {devices && (
        <Count tone="danger" word={wallWords().offline} n={devices.data?.total ?? null} />
      )}
    </dl>
  );
}

function Count({ tone, word, n }: { tone: string; word: string; n: number | null }) {
  return (
    <div class={n === null || n === 0 ? 'idle' : tone}>
      <dt>{word}</dt>
      <dd>{n ?? <span aria-label={wallWords().unknown}>–</span>}</dd>
    </div>
  );
}

/** What fires, the most urgent first: what, where, the value and since when. */
function Firing({ levels }: { levels: Levels }) {
  const w = overviewWords();
  const counts = levels.flatMap(({ asked }) => asked.data?.counts.firing ?? []);
  const isKnown = counts.length === levels.length;
  const firing = counts.reduce((sum, n) => sum + n, 0);
  const alarms = levels.flatMap(({ asked }) => asked.data?.alarms ?? []);
  return (
    <section>
      <h2>{isKnown ? w.alarms.title(firing) : titleOf('/alarms')}</h2>
      {!isKnown && <p class="quiet">{wallWords().unknown}</p>}
      {isKnown && firing === 0 && (
        <Note tone="good" shape="check">
          {w.alarms.none}
        </Note>
      )}
      <Cycle of={alarms} keyOf={({ alarmId }) => alarmId}>
        {(alarm) => <Alarm alarm={alarm} />}
      </Cycle>
      {firing > alarms.length && <p>{w.waiting.more(firing - alarms.length)}</p>}
    </section>
  );
}

function Alarm({ alarm }: { alarm: Schemas['ListedAlarm'] }) {
  const w = alarmsWords();
  return (
    <>
      <div class="row">
        <Chip {...levelState(alarm.level)} />
        {alarm.confirmed && <Chip {...alarmState(alarm)} />}
        {alarm.silenced !== null && <Chip tone="idle" shape="bar" word={w.silenced} />}
        {alarm.maintenance !== null && <Chip tone="idle" shape="bar" word={w.maintenance} />}
        <Ago at={alarm.since} />
      </div>
      <bdi class="strong whole">{alarm.ruleName ?? alarm.message}</bdi>
      <p class="whole">
        {alarm.value !== null && <bdi class="value tabular">{alarm.value} </bdi>}
        {alarm.condition !== null && <bdi class="quiet">{alarm.condition}</bdi>}
      </p>
      <p class="quiet whole">
        <bdi>{alarm.pointName}</bdi>
        {alarm.pointName !== null && alarm.deviceName !== null && ' · '}
        <bdi>{alarm.deviceName ?? alarm.driverName}</bdi>
      </p>
    </>
  );
}

/** Devices that do not answer, and since when where that is known. */
function Offline({ asked: { data } }: { asked: Devices }) {
  const w = overviewWords();
  const records = data?.records ?? [];
  useWatch(
    [],
    records.map(({ id }) => id),
  );
  if (data === null)
    return (
      <section>
        <h2>{wallWords().offline}</h2>
        <p class="quiet">{wallWords().unknown}</p>
      </section>
    );
  return (
    <section>
      <h2>{w.away.title(data.total)}</h2>
      {data.total === 0 && (
        <Note tone="good" shape="check">
          {wallWords().noneOffline}
        </Note>
      )}
      <Cycle of={records} keyOf={({ id }) => id}>
        {({ id, deviceName }) => {
          const since = livePresence(id).value?.offlineSince ?? null;
          return (
            <>
              <bdi class="strong whole">{deviceName}</bdi>
              {since !== null && <Ago at={since} isQuiet />}
            </>
          );
        }}
      </Cycle>
      {data.total > records.length && <p>{w.waiting.more(data.total - records.length)}</p>}
    </section>
  );
}

/** When the login ends, so that no screen is found dark or locked without a warning. */
function Footer() {
  const w = wallWords();
  const isAwake = useAwake();
  const ends = holder.value?.expiresAt ?? null;
  const isSoon = ends !== null && Date.parse(ends) - ticking.value < HOUR_MS;
  return (
    <footer class="row quiet">
      {ends !== null &&
        (isSoon ? (
          <Note tone="warning" shape="triangle" role="status">
            {w.soon(momentText(ends))}
          </Note>
        ) : (
          <p>
            {w.ends} <Moment at={ends} />
          </p>
        ))}
      {!isAwake && <p>{w.dark}</p>}
      <Link to="/alarms">{w.leave}</Link>
    </footer>
  );
}
