import { useAsk } from '../client/ask.ts';
import { ticking } from '../client/clock.ts';
import { liveValue } from '../client/live.ts';
import { may } from '../client/session.ts';
import { type Favourite, favourites } from '../client/storage/favourites.ts';
import { useWatch } from '../client/use-live.ts';
import { Empty, Loaded } from '../part/control/loaded.tsx';
import { Link } from '../part/link.tsx';
import { Section } from '../part/page.tsx';
import { Amount } from '../part/value/amount.tsx';
import { Spark } from '../part/value/spark.tsx';
import { Ago } from '../part/value/time.tsx';
import { overviewWords } from '../word/overview.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far the day moves on at once. */
const STEP_MS = 300_000;
const PARTS = 200;

/** The points that the person chose, with their last day. */
export function Favourites() {
  const w = overviewWords().favourites;
  const chosen = favourites.value;
  useWatch(chosen.map(({ deviceId, pointId }) => `${deviceId}:${pointId}`));
  if (!may('svc-center-data:point_value:list')) return null;
  return (
    <Section title={w.title}>
      {chosen.length === 0 ? (
        <Empty title={w.none}>{w.next}</Empty>
      ) : (
        <div class="board">
          {chosen.map((favourite) => (
            <Card key={`${favourite.deviceId}:${favourite.pointId}`} {...favourite} />
          ))}
        </div>
      )}
    </Section>
  );
}

function Card({ deviceId, pointId }: Favourite) {
  const w = overviewWords().favourites;
  const to = Math.ceil(ticking.value / STEP_MS) * STEP_MS;
  const asked = useAsk('POST /data/point_value/trend', {
    pairs: [{ deviceId, pointId }],
    from: new Date(to - DAY_MS).toISOString(),
    to: new Date(to).toISOString(),
    parts: PARTS,
  });
  const live = liveValue(deviceId, pointId).value;
  return (
    <Loaded asked={asked} rows={1} tall>
      {({ series: [series] }) =>
        series && (
          <div class="section">
            <div class="row">
              <Link to={`/devices/${deviceId}?points=${pointId}`}>
                <bdi>{series.pointName}</bdi> <bdi class="quiet">{series.deviceName}</bdi>
              </Link>
              {live && <Amount value={live.calValue} unit={series.unit} class="strong" />}
              {live?.createTime && (
                <span class="quiet small">
                  <Ago at={live.createTime} />
                </span>
              )}
            </div>
            {series.parts.length < 2 ? (
              <p class="quiet small">{w.noDay}</p>
            ) : (
              <Spark
                label={w.day}
                values={series.parts.flatMap(({ firstAt, lastAt, min, max }) =>
                  min === max
                    ? [{ at: lastAt, value: max }]
                    : [
                        { at: firstAt, value: min },
                        { at: lastAt, value: max },
                      ],
                )}
                from={to - DAY_MS}
                to={to}
                unit={series.unit}
              />
            )}
          </div>
        )
      }
    </Loaded>
  );
}
