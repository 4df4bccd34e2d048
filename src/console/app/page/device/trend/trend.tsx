import { useMemo } from 'preact/hooks';

import { ticking } from '../../../client/clock.ts';
import { query, setQuery } from '../../../client/route.ts';
import { Button } from '../../../part/control/button.tsx';
import { Choice, optionsOf } from '../../../part/control/field.tsx';
import { Section } from '../../../part/page.tsx';
import { trendWords } from '../../../word/trend.ts';
import { isNumber, type Point } from '../point/point.ts';
import { Happened, useHappened } from './happened.tsx';
import { History } from './history.tsx';
import { Axis, axisOf } from './trend-axis.tsx';
import { Trend } from './trend-chart.tsx';
import { AddOther, othersIn, setOthers } from './trend-others.tsx';
import { inQuery, rangeOf } from './trend-range.ts';
import { Controls } from './trend-time.tsx';

const MOST = 4;
/** `points`: null while they are not known, or may not be seen. */
type Given = { deviceId: string; deviceName: string; points: readonly Point[] | null };

/** What points of a device had over a time, which the address names, with what happened then. */
export function DeviceTrend({ deviceId, deviceName, points }: Given) {
  const w = trendWords();
  const numbers = points?.filter(isNumber) ?? [];
  const chosen = chosenOf(numbers);
  const others = othersIn(deviceId, MOST - chosen.length);
  const key = [...chosen.map(({ id }) => `${deviceId}:${id}`), ...others].join();
  const pairs = useMemo(() => pairsIn(key), [key]);
  const range = rangeOf(query.value, ticking.value);
  const happened = useHappened(
    deviceId,
    // Marks are of this device, which may share points with the others.
    useMemo(() => pairs.filter((pair) => pair.deviceId === deviceId), [pairs, deviceId]),
    range,
  );
  const [first] = chosen;
  if (!first) return null;
  const choose = (ids: readonly string[]): void => setQuery({ points: ids.join() || null });
  const further = numbers.filter(({ id }) => !chosen.some((point) => point.id === id));
  return (
    <>
      <Section title={w.title}>
        <Controls
          range={range}
          span={range.span}
          onSpan={(span) => setQuery({ span, from: null, to: null })}
          onRange={(next) => setQuery(inQuery(next), false)}
        />
        <div class="row">
          {chosen.map(({ id, pointName }) => (
            <span key={id} class="row">
              <bdi>{pointName}</bdi>
              {chosen.length > 1 && (
                <Button
                  kind="quiet"
                  label={w.remove(pointName)}
                  onPress={() =>
                    choose(chosen.filter((point) => point.id !== id).map((point) => point.id))
                  }
                >
                  ✕
                </Button>
              )}
            </span>
          ))}
          {pairs.length < MOST && further.length > 0 && (
            <Choice
              label={w.add}
              value=""
              onChange={(id) => choose([...chosen.map((point) => point.id), id])}
              options={optionsOf(['', w.choose], further, 'pointName')}
            />
          )}
          {pairs.length < MOST && (
            <AddOther deviceId={deviceId} others={others} pointId={first.id} />
          )}
          <Axis unit={first.unit} />
        </div>
        <Trend
          pairs={pairs}
          range={range}
          marks={happened.marks}
          fixed={axisOf(first.unit)}
          remove={{
            of: (id) => id !== deviceId,
            go: (pair) => setOthers(others.filter((each) => each !== pair)),
            all: others.length > 0 ? () => setOthers([]) : null,
          }}
          onRange={(next) => setQuery(inQuery(next), false)}
        />
        {others.length > 0 && <p class="quiet small">{w.ofDevice(deviceName)}</p>}
        <Happened alarms={happened.alarms} writes={happened.writes} />
      </Section>
      <History deviceId={deviceId} deviceName={deviceName} point={first} range={range} />
    </>
  );
}

const pairsIn = (key: string) =>
  key.split(',').flatMap((pair) => {
    const [deviceId, pointId] = pair.split(':');
    return deviceId && pointId ? [{ deviceId, pointId }] : [];
  });

/** Those that the address names, else the first. */
function chosenOf(points: readonly Point[]): Point[] {
  const named = (query.value.get('points') ?? '').split(',');
  const found = points.filter(({ id }) => named.includes(id)).slice(0, MOST);
  return found.length > 0 ? found : points.slice(0, 1);
}
