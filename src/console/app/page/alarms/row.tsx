import type { Schemas } from '../../client/operations.ts';
import { Confirm } from '../../part/confirm-alarm.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { alarmState, levelState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { alarmsWords } from '../../word/alarms.ts';

type Given = { alarm: Schemas['ListedAlarm']; again(): void };

/** One alarm: how urgent, since when, where, what, and its confirmation. */
export function Row({ alarm, again }: Given) {
  const w = alarmsWords();
  const missed = alarm.notified.filter(({ ok }) => !ok).length;
  return (
    <li class="alarm">
      <div class="row">
        <Chip {...levelState(alarm.level)} />
        <Chip {...alarmState(alarm)} />
        <span class="quiet">
          <Ago at={alarm.since} />
        </span>
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
