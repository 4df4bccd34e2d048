import { useMemo } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { useAgainOn } from '../../live/use-live.ts';
import { Chip, type State } from '../../part/mark.tsx';
import { alarmState, levelState } from '../../part/state.ts';
import { Moment } from '../../part/time.tsx';
import type { Mark } from '../../part/trend/options.ts';
import type { Range } from '../../part/trend/range.ts';
import { Link } from '../../route/link.tsx';
import { may } from '../../session/session.ts';
import { trendWords } from '../../word/trend.ts';
import { outcomeState } from './commands.tsx';

type Alarm = Schemas['ListedAlarm'];
type Write = Schemas['Receipt'];
type Pairs = readonly { pointId: string }[];

const MOST = 50;

/** Alarms and writes of these points in a time, and the marks that they are in a trend. */
export function useHappened(deviceId: string, pairs: Pairs, { from, to }: Range) {
  const alarms = useAsk(
    'POST /data/dashboard/alert/search',
    may('svc-center-data:dashboard:list') ? { deviceId, limit: MOST } : null,
  );
  const commands = useAsk(
    'POST /data/point_command_history/list',
    may('svc-center-data:point_command_history:list')
      ? { deviceId, type: 'WRITE', page: { current: 1, size: MOST } }
      : null,
  );
  useAgainOn(['alarm'], alarms.again);
  useAgainOn(['command'], commands.again);
  return useMemo(() => {
    const isShown = (pointId: string, at: string): boolean =>
      pairs.some((pair) => pair.pointId === pointId) &&
      Date.parse(at) >= from &&
      Date.parse(at) < to;
    const fired = (alarms.data?.alarms ?? []).filter((one) => isShown(one.pointId, one.since));
    const writes = (commands.data?.records ?? []).filter((one) =>
      isShown(one.pointId, one.occurTime),
    );
    const marks: Mark[] = [
      ...fired.map(({ since }) => ({ at: Date.parse(since), tone: 'danger' as const })),
      ...writes.map(({ occurTime }) => ({ at: Date.parse(occurTime), tone: 'quiet' as const })),
    ];
    return { marks, fired, writes };
  }, [alarms.data, commands.data, pairs, from, to]);
}

type Given = { fired: readonly Alarm[]; writes: readonly Write[] };
type Line = { at: string; to: string | null; text: string; states: readonly State[] };

/** The same as a list, the latest first. */
export function Happened({ fired, writes }: Given) {
  const w = trendWords();
  const lines: Line[] = [
    ...fired.map((alarm) => ({
      at: alarm.since,
      to: `/alarms/${alarm.alarmId}`,
      text: alarm.ruleName ?? alarm.message,
      states: [levelState(alarm.level), alarmState(alarm)],
    })),
    ...writes.map((write) => ({
      at: write.occurTime,
      to: write.actionId === null ? null : `/review/${write.actionId}`,
      text: w.write(`${write.requestValue ?? ''} ${write.unit}`.trim()),
      states: [outcomeState(write.outcome)],
    })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (lines.length === 0) return <p class="quiet small">{w.noMarks}</p>;
  return (
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
  );
}
