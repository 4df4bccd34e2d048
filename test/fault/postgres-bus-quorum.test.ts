import { expect, it } from 'vitest';
import { z } from 'zod';

import { type Bus, BusUnavailable, Unconfirmed } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { startDriverPlatform } from '../../src/start/platform.ts';
import { readSettings } from '../../src/start/settings.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import { onboard } from '../support/devices/plant.ts';
import { startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { freshPrefix } from '../support/neighbours/rabbitmq.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';

const COMMAND = '/api/v3/data/point_command';
const Receipt = z.looseObject({ status: z.string(), errorCode: z.string() });
const Ready = z.object({ waitingFor: z.array(z.string()) });

const broker = started(startRabbitmqNode);
const world = started(() =>
  startWorld({ environment: { AMQP_URL: broker.url, SVC_BUS_PREFIX: 'quorum' } }),
);
started(() =>
  startDriverPlatform(
    readSettings({ ...world.environment, SVC_ROLES: 'driver-virtual', SVC_NODE: 'second' }),
    { log: createLog('silent') },
  ),
);
const plant = prepared(() => onboard(world.admin));

/** Every quorum queue loses its leader, or has one again; the broker goes on answering. */
const queues = (what: 'stop' | 'restart') =>
  broker.ctl(
    'eval',
    `[ra:${what}_server(quorum_queues, amqqueue:get_pid(Q)) || Q <- rabbit_amqqueue:list(), amqqueue:is_quorum(Q)].`,
  );

const waitingFor = async () => {
  const answer = await fetch(`${world.base}/readyz`);
  return Ready.parse(await answer.json()).waitingFor;
};
const read = () =>
  world.admin.post(`${COMMAND}/read`, { deviceId: plant.deviceId, pointId: plant.target });
const receiptOf = async (commandId: unknown) =>
  Receipt.parse(
    await world.admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
      commandId: String(commandId),
    }),
  );
const ended = (commandId: unknown) =>
  eventually(
    () => receiptOf(commandId),
    ({ status }) => !['PENDING', 'SENT'].includes(status),
  );
const publish = (bus: Bus) =>
  bus
    .publish('svc.e.point_command_result', numberedResult(1), {
      key: 'svc',
      mandatory: true,
      urgent: true,
    })
    .then(
      () => null,
      (error: unknown) => error,
    );

it('a broker whose queues have no quorum is a message bus that is away, and the cause in receipts', async () => {
  const { bus } = world.app;
  await eventually(waitingFor, (parts) => parts.length === 0);
  expect(await ended((await read()).body.data)).toMatchObject({ status: 'SUCCESS' });

  await queues('stop');
  // The first is accepted or already refused; what is accepted ends with the broker as its cause.
  const first = await read();
  if (first.status === 200)
    expect(await ended(first.body.data)).toMatchObject({
      status: 'FAILED',
      errorCode: 'BUS_AWAY',
    });
  await eventually(
    async () => bus.isUp(),
    (isUp) => !isUp,
  );
  const { status, body } = await read();
  expect([status, body.code]).toEqual([503, 'R503']);
  expect(body.message).toContain('nothing was accepted or sent');
  expect(await waitingFor()).toContain('message bus');
  expect(await publish(bus)).toBeInstanceOf(BusUnavailable);

  await queues('restart');
  await eventually(waitingFor, (parts) => parts.length === 0);
  const answer = await eventually(read, (now) => now.status === 200);
  expect(await ended(answer.body.data)).toMatchObject({ status: 'SUCCESS' });
});

it('a message without a confirm for two seconds stops the next one, and no other sign is needed', async () => {
  // Apart from the platform, whose own messages would be such a sign.
  const settings = { prefix: freshPrefix(), clock: systemClock, log: createLog('silent') };
  const alone = await openRabbitmqBus({ url: broker.url, ...settings });
  try {
    const queue = 'svc.q.point_command_result';
    await alone.subscribe('svc.e.point_command_result', { queue, key: '#' }, async () => {});
    expect(await publish(alone)).toBe(null);
    await queues('stop');
    const lost = publish(alone);
    await eventually(
      async () => alone.isUp(),
      (isUp) => !isUp,
    );
    expect(await publish(alone)).toBeInstanceOf(BusUnavailable);
    expect(await lost).toBeInstanceOf(Unconfirmed);
    // Not only as long as that message waited.
    expect(alone.isUp()).toBe(false);
    await queues('restart');
    await eventually(
      async () => alone.isUp(),
      (isUp) => isUp,
    );
  } finally {
    await alone.close();
  }
});
