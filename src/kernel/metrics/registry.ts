import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

import { type Clock, limited } from '../clock.ts';
import { type Figure, FIGURES } from './figures.ts';
import type { Metrics } from './metrics.ts';

const READ_MS = 2_000;
/** From a read of a stored value to a call that waits for a person. */
const SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10, 30, 120];

type Labels = Record<string, string>;
type Samples = readonly { labels: object; value: number }[];
type Read = () => Samples | Promise<Samples>;

const plain = (labels: object): Labels => Object.fromEntries(Object.entries(labels));

export type MetricsRegistry = {
  metrics: Metrics;
  contentType: string;
  /** All figures in the text format of Prometheus. */
  text(): Promise<string>;
};

/** The figures of one process, with those of Node (event loop, memory, processor, garbage). */
export function createMetrics(clock: Clock): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Counter<string>>();
  const durations = new Map<string, Histogram<string>>();
  const reads = new Map<string, Read[]>();

  async function collect(name: string, gauge: Gauge<string>): Promise<void> {
    gauge.reset();
    for (const read of reads.get(name) ?? []) {
      // One that cannot be read, as while the database is away, is absent.
      const samples = await limited(clock, READ_MS, Promise.try(read)).catch(() => null);
      for (const { labels, value } of samples ?? []) gauge.set(plain(labels), value);
    }
  }

  for (const [name, figure] of Object.entries<Figure>(FIGURES)) {
    const { kind, says: help } = figure;
    const about = { name, help, labelNames: Object.keys(figure.labels), registers: [registry] };
    if (kind === 'counter') {
      const counter = new Counter<string>(about);
      // A counter that begins with its first event hides that one from `increase`.
      for (const labels of known(figure)) counter.inc(labels, 0);
      counters.set(name, counter);
    } else if (kind === 'duration')
      durations.set(name, new Histogram<string>({ ...about, buckets: SECONDS }));
    else {
      // Without a reader it is absent, not 0.
      const gauge: Gauge<string> = new Gauge<string>({
        ...about,
        collect: () => collect(name, gauge),
      });
    }
  }
  const metrics: Metrics = {
    add: (name, labels, by = 1) => counters.get(name)?.inc(plain(labels), by),
    took: (name, labels, ms) => durations.get(name)?.observe(plain(labels), ms / 1_000),
    gauge(name, read) {
      reads.set(name, [...(reads.get(name) ?? []), read]);
    },
  };
  return { metrics, contentType: registry.contentType, text: () => registry.metrics() };
}

/** All combinations of the labels; none where a name is known only later. */
function known({ labels }: Figure): Labels[] {
  let all: Labels[] = [{}];
  for (const [label, values] of Object.entries(labels))
    all = all.flatMap((one) => (values ?? []).map((value) => ({ ...one, [label]: value })));
  return all;
}
