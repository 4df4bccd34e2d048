import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import type { Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Spark } from '../../part/value/spark.tsx';
import { alarmState, levelState } from '../../part/value/state.ts';
import { Ago, lengthOf, Moment } from '../../part/value/time.tsx';
import { alarmsWords } from '../../word/alarms.ts';
import { maintenanceWords } from '../../word/maintenance.ts';
import { Assign, Comments } from './care.tsx';
import { ConfirmCause } from './confirm-many.tsx';
import { Confirm, ConfirmWithNote } from './confirm.tsx';
import { Silence, Silenced } from './silence.tsx';

type Report = Schemas['AlarmReport'];

const NONE = '0';

/** `/alarms/:id`: one alarm explained. */
export function Alarm({ id = '' }: Parameters) {
  const w = alarmsWords();
  const asked = useAsk('GET /data/dashboard/alert/report', { alarmId: id });
  useAgainOn(['alarm'], asked.again);
  const report = asked.data;
  return (
    <Page
      title={report?.ruleName ?? report?.message ?? w.one}
      state={
        report && (
          <>
            <Chip {...levelState(report.level)} />
            <Chip {...alarmState(report)} />
          </>
        )
      }
      actions={
        report && (
          <>
            <Assign report={report} again={asked.again} />
            <Silence report={report} again={asked.again} />
            {report.explains > 0 && may('svc-center-data:alarm:confirm') && (
              <Opener word={w.many.cause(report.explains)}>
                {(close) => (
                  <ConfirmCause
                    causeId={report.alarmId}
                    explains={report.explains}
                    again={asked.again}
                    onClose={close}
                  />
                )}
              </Opener>
            )}
            <ConfirmWithNote report={report} again={asked.again} />
            <Confirm alarm={report} again={asked.again} isMain />
          </>
        )
      }
    >
      <Loaded asked={asked} rows={8}>
        {(found) => <Report report={found} again={asked.again} />}
      </Loaded>
    </Page>
  );
}

function Report({ report, again }: { report: Report; again(): void }) {
  const w = alarmsWords();
  return (
    <>
      <Silenced report={report} />
      <div class="panel">
        <p class="change">
          <bdi class="large tabular">{report.value ?? report.message}</bdi>
          <bdi class="quiet">{report.condition}</bdi>
        </p>
        <Facts
          of={[
            [
              w.facts.place,
              report.deviceId === NONE ? (
                // An alarm of several devices names them in its message.
                <bdi>{report.pointId === NONE ? report.driverName : report.message}</bdi>
              ) : (
                <Link to={`/devices/${report.deviceId}`}>
                  <bdi>{report.pointName}</bdi> <bdi>{report.deviceName}</bdi>
                </Link>
              ),
            ],
            [
              w.facts.rule,
              report.ruleId !== null && may('svc-center-data:rule:get') && (
                <Link to={`/rules/${report.ruleId}`}>
                  <bdi>{report.ruleName ?? report.ruleId}</bdi>
                </Link>
              ),
            ],
            [
              w.facts.instruction,
              report.instruction !== '' && <bdi class="typed">{report.instruction}</bdi>,
            ],
            [w.facts.margin, report.margin],
            [w.facts.recovery, report.recovery],
            [w.facts.since, <Ago at={report.since} />],
            [w.facts.lasted, report.seconds !== null && lengthOf(report.seconds)],
            [w.facts.week, w.times(report.occurrences.week)],
            [
              w.facts.acknowledged,
              report.acknowledged && (
                <>
                  <bdi>{report.acknowledged.channel}</bdi> <Ago at={report.acknowledged.at} />
                </>
              ),
            ],
            [
              w.facts.maintenance,
              report.maintenance && (
                <>
                  <Link to="/maintenance">
                    <bdi>{report.maintenance.name}</bdi>
                  </Link>{' '}
                  {maintenanceWords().until} <Moment at={report.maintenance.until} />
                  {' · '}
                  {maintenanceWords().modes[report.maintenance.mode]}
                </>
              ),
            ],
            [w.facts.assignee, report.assignee && <bdi>{report.assignee.name}</bdi>],
            [w.facts.note, report.confirmNote !== '' && <bdi>{report.confirmNote}</bdi>],
          ]}
        />
        <Around report={report} />
        <ToTrend report={report} />
      </div>
      <Comments report={report} again={again} />
      <Causes report={report} />
      <Timeline report={report} />
      <Section title={w.told.title}>
        {report.receivers.length === 0 && <Empty title={w.told.none} />}
        <ul class="list">
          {report.receivers.map(({ channel, kind, ok, why, event, to }) => (
            <li key={`${channel} ${event} ${to}`}>
              <div class="row">
                <Chip
                  tone={ok ? 'good' : 'warning'}
                  shape={ok ? 'check' : 'diamond'}
                  word={ok ? w.told.arrived : w.told.not}
                />
                <bdi class="strong">{channel}</bdi>
                <bdi class="quiet">
                  {kind} {to}
                </bdi>
                <span class="quiet">{w.told.event[event]}</span>
              </div>
              {why !== '' && <bdi lang="en">{why}</bdi>}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** What happened to it, oldest first. */
function Timeline({ report }: { report: Report }) {
  const w = alarmsWords();
  return (
    <Section title={w.timeline}>
      <ol class="list">
        {report.timeline.map(({ at, what, by }) => (
          <li key={`${at} ${what}`}>
            <div class="row">
              <Moment at={at} seconds />
              <bdi lang="en">{what}</bdi>
              {by !== undefined && <bdi class="quiet">{by}</bdi>}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

type Cause = Report['causes'][number];

/** What may have led to it, each with the page of what it is read from. */
function Causes({ report }: { report: Report }) {
  const w = alarmsWords();
  if (report.causes.length === 0) return null;
  return (
    <Section title={w.causes.title}>
      <ol class="list">
        {report.causes.map((cause) => (
          <li key={`${cause.kind} ${cause.say}`}>
            <div class="row">
              <Chip tone="idle" shape="ring" word={w.causes.kind[cause.kind]} />
              <bdi lang="en">{cause.say}</bdi>
              <bdi class="quiet tabular">{cause.score}</bdi>
              <Evidence of={cause} />
            </div>
            <small class="quiet" lang="en">
              {cause.why}
            </small>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Evidence({ of: { evidence } }: { of: Cause }) {
  const [first] = evidence;
  if (first === undefined) return null;
  const { kind, id, deviceId } = first;
  const word = alarmsWords().causes.see;
  if (kind === 'alarm') return <Link to={`/alarms/${id}`}>{word}</Link>;
  if (kind === 'action') return <Link to={`/review/${id}`}>{word}</Link>;
  if (kind === 'maintenance') return <Link to="/maintenance">{word}</Link>;
  if (deviceId === NONE) return null;
  return <Link to={`/devices/${deviceId}`}>{word}</Link>;
}

const AROUND_MS = 3_600_000;

/** To the device with the hours around the firing. */
function ToTrend({ report }: { report: Report }) {
  if (report.pointId === NONE || report.deviceId === NONE) return null;
  if (!may('svc-center-data:point_value:list')) return null;
  const at = Date.parse(report.since);
  const [from, to] = [at - AROUND_MS, at + AROUND_MS].map((time) => new Date(time).toISOString());
  return (
    <Link to={`/devices/${report.deviceId}?points=${report.pointId}&from=${from}&to=${to}`}>
      {alarmsWords().trend}
    </Link>
  );
}

/** The numbers that a condition of one point compares with, as the server words it. */
const limitsIn = (condition: string): number[] =>
  [...condition.matchAll(/[<>]=?\s*(-?\d+(?:\.\d+)?)/g)].map(([, limit]) => Number(limit));

function Around({ report }: { report: Report }) {
  const fired = Date.parse(report.since);
  const values = report.values.flatMap(({ seconds, value }) => {
    const number = Number(value);
    return Number.isFinite(number) ? [{ at: fired + seconds * 1_000, value: number }] : [];
  });
  const [first] = values;
  const last = values.at(-1);
  if (values.length < 2 || !first || !last || first.at >= last.at) return null;
  return (
    <Spark
      label={alarmsWords().around}
      values={values}
      from={first.at}
      to={last.at}
      marks={limitsIn(report.condition ?? '')}
      unit=""
    />
  );
}
