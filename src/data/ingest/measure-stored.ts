import type { Payload } from '../../bus/topic/topics.ts';
import type { App } from '../../kernel/app/app.ts';

/** Counts the values of a message, and how old its newest one was when it was stored. */
export function measureStored(
  { metrics, clock }: App,
  { driverCode: driver, values }: Payload<'svc.e.value'>,
  { stored, refused }: { stored: number; refused: number },
): void {
  metrics.add('svc_values_total', { driver, outcome: 'stored' }, stored);
  metrics.add('svc_values_total', { driver, outcome: 'refused' }, refused);
  // The last one is the newest of nearly every message; a clock that is ahead has no lag.
  const newest = values.at(-1)?.originTime;
  if (newest !== undefined)
    metrics.took('svc_value_lag_seconds', { driver }, Math.max(0, clock.now() - newest));
}
