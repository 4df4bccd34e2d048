import type { Subscription } from '../../../src/bus/bus.ts';
import { commandQueue, nodeKey } from '../../../src/bus/topic/topics.ts';
import type { UpdateRunner } from '../update/runner.ts';
import type { Commands } from './commands.ts';
import type { Metadata } from './metadata.ts';
import { answerTrace, type TraceParts } from './traces.ts';

const PREFETCH = 16;

type Parts = TraceParts & {
  driverCode: string;
  metadata: Metadata;
  updates: UpdateRunner;
  commands: Commands;
};

/** Takes from all queues of the node, or, where one cannot be had, from none. */
export async function subscribe(parts: Parts): Promise<Subscription> {
  const subscriptions: Subscription[] = [];
  const cancel = async (): Promise<void> => {
    for (const subscription of subscriptions) await subscription.cancel();
  };
  try {
    for (const begin of queuesOf(parts)) subscriptions.push(await begin());
  } catch (error) {
    await cancel();
    throw error;
  }
  return { cancel };
}

function queuesOf(parts: Parts): (() => Promise<Subscription>)[] {
  const { bus, driverCode, node, metadata, updates } = parts;
  const { points, calls } = parts.commands;
  const own = nodeKey(driverCode, node);
  return [
    () =>
      bus.subscribe(
        'svc.e.metadata',
        { queue: `svc.q.metadata.${driverCode}.${node}`, key: driverCode },
        (message) => metadata.take(message),
      ),
    () =>
      bus.subscribe(
        'svc.e.firmware',
        { queue: `svc.q.firmware.${own}`, key: own, prefetch: PREFETCH },
        async (task) => updates.handle(task),
      ),
    () =>
      bus.subscribe(
        'svc.e.firmware_portion',
        { queue: `svc.q.firmware_portion.${own}`, key: own, prefetch: PREFETCH },
        async (portion) => updates.takePortion(portion),
      ),
    // Commands for this node, and commands for any copy because no node serves the device.
    ...[own, driverCode].flatMap((key) => [
      () =>
        bus.subscribe(
          'svc.e.point_command',
          { queue: commandQueue('svc.e.point_command', key), key, prefetch: PREFETCH },
          (command, delivery) => points.handle(command, delivery),
        ),
      () =>
        bus.subscribe(
          'svc.e.command',
          { queue: commandQueue('svc.e.command', key), key, prefetch: PREFETCH },
          (message, delivery) => calls.handle(message, delivery),
        ),
      () =>
        bus.subscribe(
          'svc.e.trace_request',
          { queue: `svc.q.trace_request.${key}`, key, prefetch: PREFETCH },
          (request) => answerTrace(parts, request),
        ),
    ]),
  ];
}
