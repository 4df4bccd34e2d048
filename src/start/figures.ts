import type { Clock } from '../kernel/clock.ts';
import { type Metrics, noMetrics } from '../kernel/metrics/metrics.ts';
import type { Config } from '../kernel/process/config.ts';
import { listen } from '../kernel/request/listen.ts';

/** The figures of this process, and the port that answers them; null where none is wanted. */
export type Figures = { metrics: Metrics; port: number | null; stop(): Promise<void> };

/** Answers `/metrics` where it is wanted; its code is loaded by such a process only. Rejects for a taken port. */
export async function openFigures(
  { metrics: wanted }: Pick<Config, 'metrics'>,
  clock: Clock,
): Promise<Figures> {
  if (wanted === null) return { metrics: noMetrics, port: null, stop: async () => {} };
  const door = await listen(clock, wanted.host, wanted.port);
  const [{ createMetrics }, { metricsAnswers }] = await Promise.all([
    import('../kernel/metrics/registry.ts'),
    import('../kernel/metrics/answer.ts'),
  ]);
  const registry = createMetrics(clock);
  door.serve(metricsAnswers(registry, wanted.token));
  return { metrics: registry.metrics, port: door.port, stop: () => door.stop() };
}
