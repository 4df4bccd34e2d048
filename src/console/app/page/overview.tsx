import { useAsk } from '../client/ask.ts';
import type { Schemas } from '../client/operations.ts';
import { may } from '../client/session.ts';
import { useAgainOn } from '../client/use-live.ts';
import { callState } from '../part/call-state.ts';
import { Empty, Loaded } from '../part/control/loaded.tsx';
import { Link } from '../part/link.tsx';
import { Facts, Page, Section } from '../part/page.tsx';
import { Amount, sizeOf } from '../part/value/amount.tsx';
import { Chip, Note } from '../part/value/mark.tsx';
import { deviceState, levelState } from '../part/value/state.ts';
import { Ago, Moment } from '../part/value/time.tsx';
import { heldBackWords } from '../word/held-back.ts';
import { maintenanceWords } from '../word/maintenance.ts';
import { overviewWords } from '../word/overview.ts';
import { Favourites } from './favourites.tsx';
import { Waiting } from './pending.tsx';

/** What needs attention first, then which agents act, then favourites and how much goes on. */
export function Overview() {
  const w = overviewWords();
  const handover = useAsk('GET /agentic/handover/get', {});
  useAgainOn(['action', 'alarm', 'command', 'device'], handover.again);
  const attention = handover.data && attentionIn(handover.data);
  return (
    <Page
      state={
        attention !== null &&
        (attention > 0 ? (
          <Chip tone="warning" shape="triangle" word={w.attention(attention)} />
        ) : (
          <Chip tone="good" shape="check" word={w.calm} />
        ))
      }
    >
      <Loaded asked={handover} rows={6} tall>
        {({ pending, unknownWrites, alarms, unnotified, maintenance, outages, silentPoints }) => (
          <div class="board">
            <Waiting pending={pending} unknownWrites={unknownWrites} />
            <Alarms alarms={alarms} unnotified={unnotified} maintenance={maintenance} />
            <Unavailable outages={outages} silentPoints={silentPoints} />
            <ActiveAgents />
          </div>
        )}
      </Loaded>
      <Favourites />
      <Figures />
    </Page>
  );
}

/** How many things of a handover a person should look at. */
const attentionIn = ({
  alarms,
  unnotified,
  outages,
  pending,
  unknownWrites,
}: Schemas['Handover']): number =>
  (alarms?.firing ?? 0) +
  (unnotified?.length ?? 0) +
  (outages?.offline ?? 0) +
  (pending?.length ?? 0) +
  (unknownWrites?.length ?? 0);

const RIGHT = 'svc-center-data:dashboard:list';

function Figures() {
  const w = overviewWords();
  const asks = may(RIGHT) ? {} : null;
  const health = useAsk('GET /data/dashboard/system/health', asks);
  const today = useAsk('GET /data/dashboard/stats/today', asks);
  useAgainOn(['device'], health.again);
  if (asks === null || health.failure || today.failure) return null;
  const { devices, drivers } = health.data ?? { devices: null, drivers: null };
  return (
    <Section title={w.figures.title}>
      {health.data?.disk?.refuses && (
        <Note tone="danger" shape="cross" role="alert">
          {w.figures.full(sizeOf(health.data.disk.freeBytes))}
        </Note>
      )}
      <Facts
        of={[
          [w.figures.devices, devices && <Amount value={w.of(devices.online, devices.total)} />],
          [w.figures.drivers, drivers && <Amount value={w.of(drivers.online, drivers.total)} />],
          [w.figures.today, today.data && <Amount value={count(today.data.today)} />],
          [w.figures.yesterday, today.data && <Amount value={count(today.data.yesterday)} />],
        ]}
      />
    </Section>
  );
}

/** In the way of the language: 12,345. */
const count = (n: number): string => n.toLocaleString();

type Given = Pick<Schemas['Handover'], 'outages' | 'silentPoints'>;

/** Devices that do not answer, and points without values. */
function Unavailable({ outages, silentPoints }: Given) {
  const w = overviewWords();
  if (outages === null) return null;
  const { offline, neverConnected, devices, back } = outages;
  const rest = [
    neverConnected > 0 && w.away.neverConnected(neverConnected),
    silentPoints !== null && silentPoints > 0 && w.away.silent(silentPoints),
    back.length > 0 && w.away.back(back.length),
  ].filter((text) => text !== false);
  return (
    <Section
      title={w.away.title(offline)}
      actions={<Link to={offline > 0 ? '/devices?situation=offline' : '/devices'}>{w.all}</Link>}
    >
      {devices.length === 0 && <Empty title={w.away.none} />}
      <ul class="list">
        {devices.map(({ deviceId, deviceName, since }) => (
          <li key={deviceId}>
            <div class="row">
              <Chip {...deviceState(since === null ? 'unknown' : 'offline')} />
              <span class="quiet">{since === null ? w.away.never : <Ago at={since} />}</span>
            </div>
            <Link to={`/devices/${deviceId}`}>
              <bdi class="strong">{deviceName}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      {rest.length > 0 && <p class="quiet">{rest.join(' · ')}</p>}
    </Section>
  );
}

/** What fires, the most urgent first, and which channels do not know of it. */
function Alarms({
  alarms,
  unnotified,
  maintenance,
}: Pick<Schemas['Handover'], 'alarms' | 'unnotified' | 'maintenance'>) {
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
              <Ago at={alarm.since} isQuiet />
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
      {unnotified?.map((channel) => (
        <Unnotified key={channel.channelId} {...channel} />
      ))}
      {maintenance?.map((each) => (
        <InMaintenance key={each.id} {...each} />
      ))}
      {recoveredUnconfirmed > 0 && (
        <Link to="/alarms?state=recovered">{w.alarms.unconfirmed(recoveredUnconfirmed)}</Link>
      )}
    </Section>
  );
}

function Unnotified(channel: Schemas['Unnotified']) {
  const w = overviewWords().unnotified;
  const { channelName, alarms, since, reason, heldBack, isFailing } = channel;
  return (
    <p>
      <Chip
        tone={isFailing ? 'warning' : 'idle'}
        shape={isFailing ? 'triangle' : 'bar'}
        word={isFailing ? w.failing : w.held}
      />{' '}
      <Link to="/notifications">
        <bdi class="strong">{channelName}</bdi>
      </Link>{' '}
      {w.alarms(alarms)} · <Ago at={since} isQuiet /> ·{' '}
      {heldBack === null ? (
        <bdi class="quiet" lang="en">
          {reason}
        </bdi>
      ) : (
        <span class="quiet">{heldBackWords()[heldBack]}</span>
      )}
    </p>
  );
}

function InMaintenance({ name, of, until }: Schemas['RunningMaintenance']) {
  const w = maintenanceWords();
  return (
    <p>
      <Chip tone="idle" shape="bar" word={w.running} />{' '}
      <Link to="/maintenance">
        <bdi class="strong">{name}</bdi>
      </Link>{' '}
      {of.length === 0 ? w.scopes.PLANT : <bdi>{of.join(', ')}</bdi>} · {w.until}{' '}
      <Moment at={until} />
    </p>
  );
}

const SHOWN = 5;

/** What agents did last, and whether they may act. */
function ActiveAgents() {
  const w = overviewWords();
  const maySee = may('svc-center-auth:mcp:list');
  const calls = useAsk('POST /auth/mcp/audit/list', maySee ? { limit: SHOWN } : null);
  const mode = useAsk('GET /auth/mcp/switch/get', maySee ? {} : null);
  useAgainOn(['action'], calls.again);
  if (!maySee) return null;
  return (
    <Section title={w.acting.title} actions={<Link to="/agents">{w.all}</Link>}>
      {mode.data && mode.data.mode !== 'ON' && (
        <p>
          <Chip tone="warning" shape="bar" word={w.acting.mode[mode.data.mode]} />
        </p>
      )}
      <Loaded
        asked={calls}
        rows={3}
        none={
          <Empty title={w.acting.none}>
            <Link to="/agents/connect">{w.acting.connect}</Link>
          </Empty>
        }
      >
        {(list) => (
          <ul class="list">
            {list.map((each) => (
              <li key={each.id}>
                <div class="row">
                  <Chip {...callState(each.status)} />
                  <Ago at={each.createTime} isQuiet />
                </div>
                <p>
                  <bdi class="strong">{each.toolName}</bdi>{' '}
                  <bdi class="quiet">{each.clientName}</bdi>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
