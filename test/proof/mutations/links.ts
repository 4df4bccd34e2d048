import { breaks } from './mutation.ts';

export const links = [
  breaks(
    'src/manager/presence/peer-change.ts',
    "when s.peer_host in ('', excluded.peer_host) or",
    "when s.peer_host <> '' or",
    'api/peer-copies',
    'that another address takes over at another copy raises the alarm',
  ),
  breaks(
    'src/manager/presence/peer-change.ts',
    'when excluded.peer_claim <> s.peer_claim then excluded.peer_change',
    'when false then excluded.peer_change',
    'api/serving',
    'takes the change of its address along, whatever its former node knew, until its name is another',
  ),
  breaks(
    'driver/sdk/serving.ts',
    'driver.doubt?.(device) ?? (isCompared(device) ? null : uncompared);',
    'driver.doubt?.(device) ?? null;',
    'unit/driver-serving',
    'is in doubt there until its address was compared with the former one',
  ),
  breaks(
    'driver/sdk/serving.ts',
    'if (server !== node) hosts.delete(deviceId);',
    '',
    'unit/driver-serving',
    'is compared anew when it has been at another node meanwhile',
  ),
  breaks(
    'driver/lwm2m/registration/peer-changes.ts',
    '!change.reported && !isOften',
    '!change.reported',
    'unit/lwm2m-peer-changes',
    'two addresses that take a name from each other all the time',
  ),
  breaks(
    'src/bus/rabbitmq/close-channel.ts',
    "channel.once('close', resolve);",
    '',
    'fault/bus-rabbitmq-setup',
    'leaves no question open that was asked on it',
  ),
  breaks(
    'src/bus/rabbitmq/connection.ts',
    'setImmediate(() => end(new Error(reason)));',
    'void reason;',
    'fault/bus-rabbitmq',
    'subscribes again when somebody removed its queue',
  ),
  breaks(
    'src/bus/rabbitmq/dead-queue.ts',
    "if (which !== 'all' && wanted.size === 0) break;",
    '',
    'fault/bus-rabbitmq-dead',
    'are looked through no further than to the last that is asked for',
  ),
  breaks(
    'src/bus/memory.ts',
    'await this.#store.next(which, after);',
    "(await this.#store.list(100)).letters.find(({ id }) => which === 'all' || which.includes(id));",
    'unit/bus-dead-letters',
    'is found by its id, the others are not read for it',
  ),
  breaks(
    'src/data/write/publish.ts',
    'const isUnread = (await app.bus.readers(queue)) === 0;',
    'const isUnread = false;',
    'fault/postgres-bus-unread',
    'that takes nothing in its time, though it was heard of, ends without a reason that is not known',
  ),
];
