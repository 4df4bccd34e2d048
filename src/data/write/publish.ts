import { BusUnavailable, BusFull, Unroutable } from '../../bus/bus.ts';
import { commandQueue, nodeKey, type Payload } from '../../bus/topic/topics.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { receivedUntil } from '../../manager/driver/listening.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { commandEnded, countEnd } from '../command/receipt.ts';
import { allowing, CommandStatus } from '../command/state.ts';

/** Ends of a command that certainly did not reach its driver. */
const unsent = {
  NODE_AWAY: {
    event: 'refuse',
    status: 'FAILED',
    message: 'the driver node that serves this device is away; nothing was sent to the device',
  },
  NOT_TAKEN: {
    event: 'refuse',
    status: 'FAILED',
    message:
      'its driver did not take it in time, and the reason is not known: nothing was sent to the device',
  },
  DRIVER_OFFLINE: {
    event: 'refuse',
    status: 'FAILED',
    message: 'no driver takes commands for this device now',
  },
  BUS_AWAY: {
    event: 'refuse',
    status: 'FAILED',
    message: 'the message bus was not there: nothing was sent',
  },
  BUS_FULL: { event: 'refuse', status: 'FAILED', message: 'too many commands are waiting' },
  EXPIRED: {
    event: 'expire',
    status: 'EXPIRED',
    message: 'the command expired before it was sent',
  },
} as const;

/** How long a command waits for a consumer of its queue. */
const UNREAD_MS = 10_000;

type Kind = 'svc.e.point_command' | 'svc.e.command';

/** A command that was marked SENT. */
export type Sent<K extends Kind> = {
  driverCode: string;
  /** The driver node that serves the device (serving.ts). */
  node: string;
  tenantId: string;
  expireAt: number;
  /** The message for the remaining validity. */
  message(remainingMs: number): Payload<K>;
};

/** Called before a command is accepted, because without a bus it cannot be sent. Throws Unavailable. */
export function demandBus({ bus }: Pick<App, 'bus'>): void {
  if (!bus.isUp())
    throw new Unavailable('The message bus is not there now: nothing was accepted or sent');
}

/**
 * Publishes a command that is marked SENT, with its remaining time, to the driver of `driverCode`. A command
 * that certainly was not published ends at once. While its queue has no consumer it is held back in the
 * background: a message that expires unread in a queue may have been delivered before, one that was never
 * published was not.
 */
export async function publishCommand<K extends Kind>(
  app: App,
  topic: K,
  command: Sent<K> & { id: string },
): Promise<void> {
  const { id, tenantId } = command;
  // One that would wait for its device waits for its driver no longer than any other.
  const expireAt = Math.min(command.expireAt, app.clock.now() + UNREAD_MS);
  const isHeld = await holdBack(app, commandQueue(topic, keyOf(command)), {
    id,
    expireAt,
    send: () => send(app, topic, command),
    giveUp: async () => end(app, topic, { tenantId, id }, await causeOf(app, command)),
  });
  if (isHeld === 'full') return end(app, topic, { tenantId, id }, 'BUS_FULL');
  if (!isHeld) await send(app, topic, command);
}

/** Why no driver took it: one of which heartbeats are still heard is not said to be away. */
async function causeOf(
  app: App,
  { tenantId, node, driverCode }: Pick<Sent<Kind>, 'tenantId' | 'node' | 'driverCode'>,
): Promise<'NOT_TAKEN' | 'NODE_AWAY' | 'DRIVER_OFFLINE'> {
  const heard = await inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_entity_state as s')
      .innerJoin('svc_driver as v', (join) =>
        join
          .onRef('v.tenantId', '=', 's.tenantId')
          .on((eb) => eb('v.id', 'in', [eb.ref('s.entityId'), eb.ref('s.parentEntityId')])),
      )
      .select('s.entityId')
      .where('s.tenantId', '=', tenantId)
      .where('v.driverCode', '=', driverCode)
      .where('s.expireTime', '>', receivedUntil(app.clock.now()))
      .where((eb) =>
        node === ''
          ? eb('s.entityTypeFlag', '=', EntityType.DRIVER)
          : eb.and([eb('s.entityTypeFlag', '=', EntityType.DEVICE), eb('s.node', '=', node)]),
      )
      .limit(1)
      .executeTakeFirst(),
  );
  if (heard) return 'NOT_TAKEN';
  return node === '' ? 'DRIVER_OFFLINE' : 'NODE_AWAY';
}

const keyOf = ({ driverCode, node }: Pick<Sent<Kind>, 'driverCode' | 'node'>): string =>
  node === '' ? driverCode : nodeKey(driverCode, node);

async function send<K extends Kind>(
  app: App,
  topic: K,
  { id, driverCode, node, tenantId, expireAt, message }: Sent<K> & { id: string },
): Promise<void> {
  const ttlMs = expireAt - app.clock.now();
  if (ttlMs <= 0) return end(app, topic, { tenantId, id }, 'EXPIRED');
  app.crashAt('before-publish');
  try {
    await app.bus.publish(topic, message(ttlMs), {
      key: keyOf({ driverCode, node }),
      messageId: id,
      ttlMs,
      mandatory: true,
      urgent: true,
    });
  } catch (error) {
    if (error instanceof Unroutable)
      return end(app, topic, { tenantId, id }, node === '' ? 'DRIVER_OFFLINE' : 'NODE_AWAY');
    if (error instanceof BusUnavailable) return end(app, topic, { tenantId, id }, 'BUS_AWAY');
    if (error instanceof BusFull) return end(app, topic, { tenantId, id }, 'BUS_FULL');
    // It may have been published: a result may still come, else the sweeper ends it UNKNOWN.
    app.log.error({ commandId: id, error }, 'a command may not have been published');
    return;
  }
  app.crashAt('after-publish');
}

type Ended = { tenantId: string; id: string };

async function end(
  app: App,
  topic: Kind,
  { tenantId, id }: Ended,
  errorCode: keyof typeof unsent,
): Promise<void> {
  const { event, status, message } = unsent[errorCode];
  const now = new Date(app.clock.now());
  const ended = {
    status: CommandStatus[status],
    errorCode,
    errorMessage: message,
    finishTime: now,
    operateTime: now,
  };
  const isPoint = topic === 'svc.e.point_command';
  const [changed] = await inTenant(app.db, tenantId, (q) =>
    isPoint
      ? q
          .updateTable('svc_point_command_history')
          .set(ended)
          .where('tenantId', '=', tenantId)
          .where('commandId', '=', id)
          .where('status', 'in', allowing(event))
          .execute()
      : q
          .updateTable('svc_command_history')
          .set(ended)
          .where('tenantId', '=', tenantId)
          .where('recordId', '=', id)
          .where('status', 'in', allowing(event))
          .execute(),
  );
  if (changed && changed.numUpdatedRows > 0n) countEnd(app, isPoint ? 'point' : 'call', status);
  commandEnded(app, id);
}

/** A command that is not published yet. */
type Held = {
  id: string;
  expireAt: number;
  send(): Promise<void>;
  /** Ends the expired, unsent command. */
  giveUp(): Promise<void>;
};

const LOOK_MS = 200;
const MAX_HELD = 10_000;

/** By queue, in order of arrival. */
const HELD_BACK = slot(() => new Map<string, Held[]>());

/**
 * Holds a command back while its queue has no consumer, or other commands for the queue are held back.
 * Answers whether it is held back, or 'full' at the limit.
 */
async function holdBack(app: App, queue: string, held: Held): Promise<boolean | 'full'> {
  const lines = app.of(HELD_BACK);
  if (!lines.has(queue) && (await app.bus.readers(queue)) !== 0) return false;
  // Another command may have been held back during the await.
  const line = lines.get(queue) ?? [];
  if (line.length >= MAX_HELD) return 'full';
  line.push(held);
  if (lines.has(queue)) return true;
  lines.set(queue, line);
  void release(app, queue, line);
  return true;
}

async function release(app: App, queue: string, line: Held[]): Promise<void> {
  while (line.length > 0) {
    await new Promise<void>((resolve) => void app.clock.after(LOOK_MS, resolve));
    const isUnread = (await app.bus.readers(queue)) === 0;
    const now = app.clock.now();
    for (const held of isUnread ? line.filter(({ expireAt }) => expireAt <= now) : line.slice()) {
      try {
        await (isUnread ? held.giveUp() : held.send());
      } catch (error) {
        app.log.error({ commandId: held.id, error }, 'held-back command neither sent nor ended');
      }
      line.splice(line.indexOf(held), 1);
    }
  }
  app.of(HELD_BACK).delete(queue);
}
