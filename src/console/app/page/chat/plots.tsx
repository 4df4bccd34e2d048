import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Spark } from '../../part/value/spark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { chatWords } from '../../word/chat.ts';
import type { Step } from './turn.ts';

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
          <One plot={plot} />
        </li>
      ))}
    </ul>
  );
}

function One({
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
