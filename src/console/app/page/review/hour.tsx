import { useMemo } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { now } from '../../clock.ts';
import { Spark } from '../../part/spark.tsx';
import { may } from '../../session/session.ts';
import { reviewWords } from '../../word/review.ts';
import type { Write } from './action.ts';

const HOUR_MS = 3_600_000;
/** As many as the endpoint gives. */
const MOST = 500;

/** The values of the point in the last hour, with the proposed one. */
export function Hour({ write }: { write: Write }) {
  const { deviceId, pointId, limits, proposedValue, unit } = write;
  const from = useMemo(() => now() - HOUR_MS, [deviceId, pointId]);
  const asked = useAsk(
    'GET /data/point_value/list_history_by_device_id_and_point_id',
    may('svc-center-data:point_value:list')
      ? { deviceId, pointId, from: new Date(from).toISOString(), count: MOST }
      : null,
  );
  const values = (asked.data ?? []).flatMap(({ numValue, createTime }) =>
    numValue === null ? [] : [{ at: Date.parse(createTime), value: numValue }],
  );
  if (values.length < 2) return null;
  return (
    <Spark
      label={reviewWords().hour}
      values={values.toReversed()}
      from={from}
      to={from + HOUR_MS}
      target={Number(proposedValue)}
      low={limits.min}
      high={limits.max}
      unit={unit}
    />
  );
}
