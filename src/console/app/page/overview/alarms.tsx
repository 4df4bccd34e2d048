import type { Schemas } from '../../client/operations.ts';
import { Empty } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { levelState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { overviewWords } from '../../word/overview.ts';

/** What fires, the most urgent first. */
export function Alarms({ alarms }: Pick<Schemas['Handover'], 'alarms'>) {
  const w = overviewWords();
  if (alarms === null) return null;
  const { firing, recoveredUnconfirmed, rows } = alarms;
  return (
    <Section title={w.alarms.title(firing)} actions={<Link to="/alarms">{w.all}</Link>}>
      {firing === 0 && <Empty title={w.alarms.none} />}
      <ul class="list">
        {rows.map((alarm) => (
          <li key={alarm.alarmId}>
            <div class="row">
              <Chip {...levelState(alarm.level)} />
              <span class="quiet">
                <Ago at={alarm.since} />
              </span>
            </div>
            <Link to={`/alarms/${alarm.alarmId}`}>
              <bdi class="strong">{alarm.ruleName ?? alarm.message}</bdi>
            </Link>
            <p>
              {alarm.value !== null && <bdi class="tabular strong">{alarm.value} </bdi>}
              {alarm.condition !== null && <bdi class="quiet">{alarm.condition}</bdi>}
            </p>
            <small class="quiet">
              <bdi>{alarm.pointName}</bdi>
              {alarm.pointName !== null && ' · '}
              <bdi>{alarm.deviceName ?? alarm.driverName}</bdi>
            </small>
          </li>
        ))}
      </ul>
      {recoveredUnconfirmed > 0 && (
        <Link to="/alarms?state=recovered">{w.alarms.unconfirmed(recoveredUnconfirmed)}</Link>
      )}
    </Section>
  );
}
