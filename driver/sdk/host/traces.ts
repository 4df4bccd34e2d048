import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import { MAX_TRACED } from '../../../src/bus/topic/trace-topic.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { bytesOf } from '../batches.ts';
import type { Driver, DriverDevice, Trace } from '../driver.ts';
import { within } from '../wait.ts';

const TIMEOUT_MS = 5_000;
/** Of the exchanges in one message. */
const MAX_BYTES = 700_000;

export type TraceParts = {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  bus: Bus;
  clock: Clock;
  node: string;
};

/** Answers a center that asks for the last exchanges with a device. */
export async function answerTrace(
  { driver, devices, bus, clock, node }: TraceParts,
  { requestId, tenantId, deviceId, replyKey }: Payload<'svc.e.trace_request'>,
): Promise<void> {
  const device = devices.get(deviceId);
  const known = device?.tenantId === tenantId ? driver.trace?.(device) : undefined;
  const answer = { requestId, node, trace: known ? fitting(known) : null };
  await within(clock, TIMEOUT_MS, bus.publish('svc.e.trace', answer, { key: replyKey }));
}

/** The newest exchanges that one message can hold. */
function fitting({ exchanges, dropped, ...rest }: Trace): Trace {
  let bytes = 0;
  let from = Math.max(0, exchanges.length - MAX_TRACED);
  for (let at = exchanges.length - 1; at >= from; at -= 1) {
    bytes += bytesOf(JSON.stringify(exchanges[at]));
    if (bytes > MAX_BYTES) from = at + 1;
  }
  return { ...rest, dropped: dropped + from, exchanges: exchanges.slice(from) };
}
