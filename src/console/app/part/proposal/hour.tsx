import type { Write } from '../../../card/action.ts';
import { useAsk } from '../../client/ask.ts';
import { ticking } from '../../client/clock.ts';
import { may } from '../../client/session.ts';
import { reviewWords } from '../../word/proposal/review.ts';
import { Spark } from '../value/spark.tsx';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** As many as the endpoint gives. */
const MOST = 500;

/** The values of the point in the last hour, with the proposed one. */
export function Hour({ write }: { write: Write }) {
  const { deviceId, pointId, limits, proposedValue, unit } = write;
  // Asked for anew once a minute.
  const to = Math.ceil(ticking.value / MINUTE_MS) * MINUTE_MS;
  const hourAgo = to - HOUR_MS;
  const asked = useAsk(
    'GET /data/point_value/list_history_by_device_id_and_point_id',
    may('svc-center-data:point_value:list')
      ? { deviceId, pointId, from: new Date(hourAgo).toISOString(), count: MOST }
      : null,
  );
  const values = (asked.data ?? []).flatMap(({ numValue, createTime }) =>
    numValue === null ? [] : [{ at: Date.parse(createTime), value: numValue }],
  );
  // A point that is measured often has more values in an hour than the endpoint gives.
  const isWhole = (asked.data?.length ?? 0) < MOST;
  const from = isWhole ? hourAgo : (values.at(-1)?.at ?? hourAgo);
  if (values.length < 2) return null;
  return (
    <Spark
      label={isWhole ? reviewWords().hour : reviewWords().last}
      values={values.toReversed()}
      from={from}
      to={to}
      target={Number(proposedValue)}
      low={limits.min}
      high={limits.max}
      unit={unit}
    />
  );
}
