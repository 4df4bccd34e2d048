import { useMemo } from 'preact/hooks';

import type { Mark } from '../../../../chart/options.ts';
import { type Asked, useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { useAgainOn } from '../../../client/use-live.ts';
import { Failed, Skeleton } from '../../../part/control/loaded.tsx';
import { Link } from '../../../part/link.tsx';
import { Chip, type State } from '../../../part/value/mark.tsx';
import { alarmState, levelState } from '../../../part/value/state.ts';
import { Moment } from '../../../part/value/time.tsx';
import { trendWords } from '../../../word/trend.ts';
import { outcomeState } from '../point/commands.tsx';
import type { Range, Span } from './trend-range.ts';

type Alarm = Schemas['Alert'];
type Write = Schemas['Receipt'];
type Pairs = readonly { pointId: string }[];
type Records<T> = { records: readonly T[]; total: number };

/** What is known of one kind of thing that happened: all of it only if the answer is there and whole. */
type Known<T> = {
  found: readonly T[];
  /** Null without the right to it. */
  asked: Asked<Records<T>> | null;
};

const MOST_ALARMS = 200;
const MOST_WRITES = 100;
/** Shares of the time by which the question moves on: not with every value. */
const STEPS = 10;
const LEVELS = bounds['POST /data/rule/add']['ruleExt.content.severity'].values;

/** Alarms of a device and writes to these points in a time, and the marks that they are in a trend. */
export function useHappened(
  deviceId: string,
  pairs: Pairs,
  { from, to, span }: Range & { span: Span | null },
) {
  const step = (to - from) / STEPS;
  const time = {
    from: new Date(span === null ? from : Math.floor(from / step) * step).toISOString(),
    // A time that ends now goes on.
    ...(span === null && { to: new Date(to).toISOString() }),
  };
  const mayAlarms = may('svc-center-data:dashboard:list');
  const mayWrites = may('svc-center-data:point_command_history:list');
  const alarms = useAsk(
    'POST /data/dashboard/alert/page',
    mayAlarms ? { deviceId, ...time, size: MOST_ALARMS } : null,
  );
  const writes = useAsk(
    'POST /data/point_command_history/list',
    mayWrites
      ? { deviceId, type: 'WRITE', ...time, page: { current: 1, size: MOST_WRITES } }
      : null,
  );
  useAgainOn(['alarm'], alarms.again);
  useAgainOn(['command'], writes.again);
  const shown = useMemo(() => {
    const isShown = (pointId: string, at: string): boolean =>
      (pointId === '0' || pairs.some((pair) => pair.pointId === pointId)) &&
      Date.parse(at) >= from &&
      Date.parse(at) < to;
    const raised = (alarms.data?.records ?? []).filter((one) =>
      isShown(one.pointId, one.createTime),
    );
    const written = (writes.data?.records ?? []).filter((one) =>
      isShown(one.pointId, one.occurTime),
    );
    const marks: Mark[] = [
      ...raised.map(({ createTime }) => markOf(createTime, 'danger', 'triangle')),
      ...written.map(({ occurTime }) => markOf(occurTime, 'quiet', 'square')),
    ];
    return { marks, raised, written };
  }, [alarms.data, writes.data, pairs, from, to]);
  return {
    marks: shown.marks,
    alarms: { found: shown.raised, asked: mayAlarms ? alarms : null },
    writes: { found: shown.written, asked: mayWrites ? writes : null },
  };
}

const markOf = (at: string, tone: Mark['tone'], shape: Mark['shape']): Mark => ({
  at: Date.parse(at),
  tone,
  shape,
});

type Given = { alarms: Known<Alarm>; writes: Known<Write> };
type Line = { at: string; to: string | null; text: string; states: readonly State[] };

/** The same as a list, the latest first, with what is not known of it. */
export function Happened({ alarms, writes }: Given) {
  const w = trendWords();
  const lines = [...alarms.found.map(ofAlarm), ...writes.found.map(ofWrite)].toSorted(
    (a, b) => Date.parse(b.at) - Date.parse(a.at),
  );
  return (
    <>
      {lines.length > 0 && (
        <ul class="list" aria-label={w.marks}>
          {lines.map(({ at, to, text, states }) => (
            <li key={`${at} ${to} ${text}`}>
              <div class="row">
                {states.map((state) => (
                  <Chip key={state.word} {...state} />
                ))}
                <Moment at={at} seconds />
                {to === null ? (
                  <bdi>{text}</bdi>
                ) : (
                  <Link to={to}>
                    <bdi>{text}</bdi>
                  </Link>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      <Completeness of={alarms} words={w.alarms} />
      <Completeness of={writes} words={w.writes} />
    </>
  );
}

type Words = { none: string; hidden: string; cut(looked: number, total: number): string };

/** That there is none, only where that is known; else why it is not. */
function Completeness<T>({ of: { found, asked }, words }: { of: Known<T>; words: Words }) {
  if (!asked) return <p class="quiet small">{words.hidden}</p>;
  const { data, failure, again } = asked;
  if (failure) return <Failed failure={failure} again={again} />;
  if (!data) return <Skeleton rows={1} />;
  if (data.records.length < data.total)
    return <p class="small">{words.cut(data.records.length, data.total)}</p>;
  return found.length === 0 ? <p class="quiet small">{words.none}</p> : null;
}

const ofAlarm = (alarm: Alarm): Line => ({
  at: alarm.createTime,
  to: `/alarms/${alarm.id}`,
  text: alarm.message,
  states: [
    levelState(LEVELS[alarm.alarmLevelFlag]),
    alarmState({ state: alarm.state, confirmed: alarm.confirmName === 'CONFIRMED' }),
  ],
});

const ofWrite = (write: Write): Line => ({
  at: write.occurTime,
  to: write.actionId === null ? null : `/review/${write.actionId}`,
  text: trendWords().write(`${write.requestValue ?? ''} ${write.unit}`.trim(), write.pointName),
  states: [outcomeState(write.outcome)],
});
