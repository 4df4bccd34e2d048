import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Facts } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Spark } from '../../part/value/spark.tsx';
import { lengthOf, Moment } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';
import type { Step } from './turn.ts';

/** What tools did for an answer, one line each; opened, what they were asked and said. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ul class="steps">
      {steps.map((step) => (
        <li key={step.callId}>
          <One step={step} />
        </li>
      ))}
    </ul>
  );
}

function One({ step }: { step: Step }) {
  const { name, title, args, result, status, durationMs } = step;
  const w = chatWords();
  const facts = w.toolFacts;
  return (
    <details>
      <summary>
        <bdi>{title === '' ? name : title}</bdi>
        <Chip {...stateOf(result.startsWith(PROPOSED) ? 'proposed' : status)} />
        <bdi class="quiet small result">{inShort(step)}</bdi>
      </summary>
      <Facts
        of={[
          [facts.name, <bdi>{name}</bdi>],
          [facts.took, durationMs !== null && tookOf(durationMs)],
        ]}
      />
      <dl class="stack">
        {[[facts.args, args] as const, [facts.result, result] as const].map(
          ([term, text]) =>
            text !== '' && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>
                  <code>{text}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
      {(args + result).includes(CUT) && <small class="quiet">{w.inShort}</small>}
    </details>
  );
}

const ERROR = /^\{"error":("(?:[^"\\]|\\.)*")/;
const CUT = '…';
const TOTAL = /"total":(\d+)/;
const PROPOSED = '{"pendingConfirmation":true';

/** A line of what a tool said: why it failed, how many it found; nothing of what is drawn below. */
function inShort({ result, plots }: Step): string {
  if (plots.length > 0) return '';
  const [, error] = ERROR.exec(result) ?? [];
  if (error !== undefined) return String(JSON.parse(error));
  const [, total] = TOTAL.exec(result) ?? [];
  if (total !== undefined) return chatWords().found(Number(total));
  return result.startsWith(PROPOSED) ? '' : result;
}

const STATES = {
  running: { tone: 'info', shape: 'half' },
  success: { tone: 'good', shape: 'check' },
  // A person decides: nothing is done yet.
  proposed: { tone: 'info', shape: 'half' },
  failed: { tone: 'danger', shape: 'cross' },
} as const;

const stateOf = (status: keyof typeof STATES): State => ({
  ...STATES[status],
  word: chatWords().tool[status],
});

const tookOf = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : lengthOf(ms / 1_000));

type Plot = Schemas['Message']['contentExt']['tools'][number]['plots'][number];

/** As many as the endpoint gives. */
const MOST = 500;
const SHOWN = 6;

/** The values that tools looked at, drawn from what is stored now. */
export function Plots({ steps }: { steps: readonly Step[] }) {
  const all = new Map(
    steps.flatMap(({ plots }) =>
      plots.map((plot) => [`${plot.deviceId}:${plot.pointId} ${plot.from} ${plot.to}`, plot]),
    ),
  );
  if (all.size === 0 || !may('svc-center-data:point_value:list')) return null;
  return (
    <ul class="stack plots">
      {[...all].slice(0, SHOWN).map(([key, plot]) => (
        <li key={key}>
          <Drawn plot={plot} />
        </li>
      ))}
    </ul>
  );
}

function Drawn({
  plot: { deviceId, deviceName, pointId, pointName, unit, ...window },
}: {
  plot: Plot;
}) {
  const w = chatWords();
  const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
  const asked = useAsk('GET /data/point_value/list_history_by_device_id_and_point_id', {
    deviceId,
    pointId,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    count: MOST,
  });
  return (
    <div class="stack plot">
      <p>
        <Link to={`/devices/${deviceId}`}>
          <bdi>{pointName}</bdi> · <bdi>{deviceName}</bdi>
        </Link>{' '}
        <small class="quiet">
          <Moment at={window.from} /> – <Moment at={window.to} />
        </small>
      </p>
      <Loaded asked={asked} rows={1} tall>
        {(rows) => {
          const values = rows
            .flatMap(({ numValue, createTime }) =>
              numValue === null ? [] : [{ at: Date.parse(createTime), value: numValue }],
            )
            .toReversed();
          if (values.length < 2) return <p class="quiet small">{w.noValues}</p>;
          const isWhole = rows.length < MOST;
          return (
            <Spark
              label={(isWhole ? w.values : w.lastValues)(values.length)}
              values={values}
              from={isWhole ? from : (values[0]?.at ?? from)}
              to={to}
              unit={unit}
            />
          );
        }}
      </Loaded>
    </div>
  );
}
