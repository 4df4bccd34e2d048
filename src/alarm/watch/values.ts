import { createPauses, retryWhileUnavailable } from '../../bus/retry.ts';
import type { Payload } from '../../bus/topic/topics.ts';
import { loadFacts } from '../../data/ingest/ingest.ts';
import { STALE_AFTER } from '../../data/value/freshness.ts';
import { keyOf } from '../../data/value/pair.ts';
import { storedValue } from '../../data/value/stored-value.ts';
import type { App } from '../../kernel/app/app.ts';
import { KeyedQueue } from '../../kernel/queue.ts';
import { atDeviceVersion, type DeviceVersion } from '../../manager/device/version.ts';
import { factOf } from '../condition/value-fact.ts';
import { evaluateAt } from '../rule/evaluate.ts';
import { rulesFor } from '../rule/rule-cache.ts';

type Batch = Payload<'svc.e.value'>;

/** Batches under way; of each tenant one. */
const PREFETCH = 64;

/**
 * Evaluates every reported value against the rules, on its own queue, independent of storage. The batches of a tenant
 * are evaluated in the order in which they were reported; no tenant waits for the rules of another.
 */
export async function startValueRules(app: App): Promise<{ stop(): Promise<void> }> {
  const { clock, log } = app;
  const turns = new KeyedQueue(clock, { atOnce: 1 });
  const pauses = createPauses(clock);
  let isStopped = false;
  const inTurn = (batch: Batch): Promise<void> =>
    // A batch that has to wait for the database keeps its turn, so that its values do not come late.
    retryWhileUnavailable(
      () => atDeviceVersion(app, batch.tenantId, (at) => evaluateBatch(app, at, batch)),
      {
        attempt: 1,
        clock,
        pauses,
        isOver: () => isStopped,
        expiresAt: Infinity,
        waits: (error, ms) => log.warn({ error, ms }, 'values wait for their rules'),
      },
    );
  const subscription = await app.bus.subscribe(
    'svc.e.value',
    { queue: 'svc.q.rule', key: '#', prefetch: PREFETCH },
    (batch) => turns.run(batch.tenantId, () => inTurn(batch)),
  );
  return {
    async stop() {
      isStopped = true;
      pauses.end();
      await subscription.cancel();
    },
  };
}

async function evaluateBatch(app: App, present: DeviceVersion, batch: Batch): Promise<void> {
  const { driverId, driverCode } = batch;
  const candidates = await rulesFor(app, present, 'POINT');
  const watched = batch.values.filter(({ pointId }) => candidates(pointId).length > 0);
  if (watched.length === 0) return;
  const points = await loadFacts(app, present, driverId, watched);
  const facts = watched.flatMap((reported) => {
    const point = points.get(keyOf(reported));
    if (point?.driverCode !== driverCode || point.driverId !== driverId) return [];
    const now = app.clock.now();
    const value = storedValue(reported, point.type, now);
    const staleMs = STALE_AFTER * point.intervalMs;
    const measured = { ...value, pointType: point.type, seq: BigInt(value.seq) };
    return { ...factOf(measured, driverId, now), staleMs };
  });
  await evaluateAt(app, present, 'POINT', facts);
}
