import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Choice, optionsIn } from '../../part/control/field.tsx';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';

const SIZE = 20;
const ALL = '';
const STATES = {
  PENDING: { tone: 'info', shape: 'ring' },
  SENT: { tone: 'info', shape: 'half' },
  SUCCESS: { tone: 'good', shape: 'check' },
  FAILED: { tone: 'danger', shape: 'cross' },
  RETRY: { tone: 'warning', shape: 'diamond' },
} as const;
const NAMES = bounds['POST /data/notify/history/list'].statusFlag.values;

/** What was sent, the newest first, and what became of it. */
export function History() {
  const w = notificationsWords().history;
  const maySee = may('svc-center-data:notify_history:list');
  const state = NAMES.find((each) => each === query.value.get('state'));
  const asked = useAsk(
    'POST /data/notify/history/list',
    maySee ? { statusFlag: state, page: pageIn('page', SIZE) } : null,
  );
  useAgainOn(['alarm'], asked.again);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <div class="row filters">
        <Choice
          label={w.state}
          value={state ?? ALL}
          onChange={(given) => setQuery({ state: given || null, page: null })}
          options={[[ALL, w.all], ...optionsIn(NAMES, w.states)]}
        />
      </div>
      <List
        asked={asked}
        page="page"
        rows={5}
        label={w.title}
        none={<Empty title={state === undefined ? w.none : w.noneSuch} />}
      >
        {(one) => <Row key={one.id} one={one} />}
      </List>
    </Section>
  );
}

function Row({ one }: { one: Schemas['NotifyHistory'] }) {
  const w = notificationsWords();
  const { title } = one.requestExt;
  // An account security event has no alarm.
  const isOfAlarm = one.alarmId !== '0';
  const name = <bdi>{typeof title === 'string' && title !== '' ? title : w.history.alarm}</bdi>;
  return (
    <li>
      <div class="row">
        <Chip {...STATES[one.statusName]} word={w.history.states[one.statusName]} />
        <Moment at={one.createTime} seconds />
        {isOfAlarm && <span class="quiet">{w.history.event[one.eventFlag]}</span>}
        {isOfAlarm ? <Link to={`/alarms/${one.alarmId}`}>{name}</Link> : name}
      </div>
      <small class="quiet">
        {channelKindWords()[one.channelTypeName].name} <bdi>{one.target}</bdi>
        {one.retryCount > 0 && ` · ${w.history.tries(one.retryCount)}`}
      </small>
      {one.errorMessage !== '' && (
        <p class="small">
          <bdi lang="en">{one.errorMessage}</bdi>
        </p>
      )}
    </li>
  );
}
