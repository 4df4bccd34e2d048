import { join } from 'node:path';

import type { Bus } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { type Metrics, noMetrics } from '../../../src/kernel/metrics/metrics.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { SpooledValues } from './sender.ts';
import { Spool } from './spool.ts';

/** Nothing to spool where the bus is within the process. */
export type SpoolOptions = {
  /** Bound of the values on disk, in bytes; 0 or absent: values are not stored while the bus is unavailable. */
  spoolBytes?: number;
};

type Parts = SpoolOptions & {
  bus: Bus;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
  node: string;
  dataDir: string;
  driverCode: string;
};

/** The values of a node on their way to the bus, by the disk where that is unavailable; null without a spool. */
export async function openSpooledValues(parts: Parts): Promise<SpooledValues | null> {
  const { spoolBytes: maxBytes = 0, node, dataDir, driverCode, metrics = noMetrics, log } = parts;
  if (maxBytes === 0) return null;
  const labels = { driver: driverCode };
  const spool = await Spool.open({
    folder: join(dataDir, `spool-${driverCode}-${encodeURIComponent(node)}`),
    maxBytes,
    log,
    dropped: (values) => metrics.add('svc_driver_values_dropped_total', labels, values),
  });
  metrics.gauge('svc_driver_spool_bytes', () => [{ labels, value: spool.bytes }]);
  return new SpooledValues({ ...parts, spool });
}
