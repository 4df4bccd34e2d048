import type { Duplex } from 'node:stream';

import { type IClientOptions, type IPublishPacket, MqttClient } from 'mqtt';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { DriverFailure } from '../../sdk/driver.ts';
import { offline, refused, silent } from '../../sdk/failure.ts';
import { holdAcks } from './held-acks.ts';
import { Subscriptions } from './subscriptions.ts';

export type Message = {
  topic: string;
  payload: Buffer;
  /** The broker had it stored: it says nothing of when it was sent. */
  isRetained: boolean;
  /** What the answer to a request carries (MQTT 5, 4.10). */
  correlation: Buffer | null;
};

export type Outgoing = {
  topic: string;
  payload: Buffer | string;
  /** What an answer is to carry, and where it goes (MQTT 5). */
  reply?: { topic: string; correlation: Buffer };
};

type Parts = {
  /** What names the broker in texts: host and port. */
  name: string;
  open(): Duplex;
  login: { clientId: string; username: string; password: string };
  isVersion5: boolean;
  /** The broker keeps what comes while this process is away. */
  isKept: boolean;
  /** Resolves once the values of the message cannot be lost any more. */
  take(message: Message): Promise<void>;
  /** Calls back once there is room for another message. */
  whenRoom(go: () => void): void;
  /** Whether and why it is connected has changed. */
  changed(): void;
  clock: Clock;
  log: Log;
};

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** A connection that lasted so long was a good one: the next retry is early again. */
const STEADY_MS = 30_000;
const CONNECT_MS = 10_000;
const KEEPALIVE_S = 15;
const SESSION_S = 86_400;
/** Messages that are sent and not acknowledged: the broker holds the others. */
const RECEIVE_MAXIMUM = 2_000;
const MAX_PACKET = 262_144;
/** MQTT 5, 3.4.2.1: the broker took the message and there is no subscriber. */
const NO_SUBSCRIBER = 16;
const PACKET_IDS = 65_536;

/**
 * A connection to a broker that opens itself, and again after it was lost, ever later. Each try is a new client: it
 * subscribes anew whatever the broker still knows, and sends nothing that an earlier one has left.
 */
export class Connection {
  readonly #parts: Parts;
  readonly #subscriptions: Subscriptions;
  #client: MqttClient | null = null;
  #problem: string | null = 'not connected yet';
  #retryMs = FIRST_RETRY_MS;
  #connectedAt: number | null = null;
  #cancelRetry: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#subscriptions = new Subscriptions(parts.isVersion5, (problem) => {
      this.#parts.log.warn({ broker: parts.name, ...problem }, 'a broker refused a subscription');
      parts.changed();
    });
    this.#connect();
  }

  /** Null while connected, else why not. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Why nothing comes from this filter; null where nothing is known against it. */
  refusalOf(filter: string): string | null {
    return this.#subscriptions.refusalOf(filter);
  }

  subscribe(filter: string): void {
    this.#subscriptions.add(filter);
  }

  unsubscribe(filter: string): void {
    this.#subscriptions.remove(filter);
  }

  /**
   * Sends a message; resolves once the broker has it. At MQTT 5 the broker drops it at `deadline`, so that a device that
   * comes later does not get it; at 3.1.1 it is sent once and stored nowhere (QoS 0). Throws `DriverFailure`.
   */
  async publish({ topic, payload, reply }: Outgoing, deadline: number): Promise<void> {
    const { clock, isVersion5, name } = this.#parts;
    const client = this.#client;
    const leftMs = deadline - clock.now();
    if (!client?.connected || this.#problem !== null)
      throw offline(`the broker ${name} is ${this.#problem ?? 'not connected'}`);
    if (leftMs <= 0) throw offline('it is too late: nothing was sent');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const properties = {
      messageExpiryInterval: Math.max(1, Math.floor(leftMs / 1000)),
      ...(reply && { responseTopic: reply.topic, correlationData: reply.correlation }),
    };
    let reason = 0;
    let packetId: number | undefined;
    const answered = (packet: { cmd: string; messageId?: number; reasonCode?: number }): void => {
      if (packet.cmd === 'puback' && packet.messageId === packetId) reason = packet.reasonCode ?? 0;
    };
    const lost = (): void =>
      reject(
        silent(`the connection to the broker ${name} broke: it may have the message`, 'UNKNOWN'),
      );
    const late = (): void =>
      reject(silent(`the broker ${name} did not take the message in time`, 'UNKNOWN'));
    const cancel = clock.after(leftMs, late);
    client.on('packetreceive', answered).once('close', lost);
    const options = isVersion5 ? ({ qos: 1, properties } as const) : ({ qos: 0 } as const);
    client.publish(topic, payload, options, (error) => {
      if (error) reject(refused(`the broker ${name} refused the message: ${error.message}`));
      else if (reason === NO_SUBSCRIBER)
        reject(
          new DriverFailure('DEVICE_OFFLINE', `no device listens at ${topic}: nothing was written`),
        );
      else resolve();
    });
    packetId = isVersion5 ? client.getLastMessageId() : undefined;
    try {
      await promise;
    } finally {
      cancel();
      client.off('packetreceive', answered).off('close', lost);
    }
  }

  /** `forget`: the broker is to store nothing more for it. */
  async close(forget: boolean): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    const { isVersion5 } = this.#parts;
    const client = this.#client;
    this.#client = null;
    this.#problem = 'closed';
    if (!client) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = setTimeout(resolve, 1_000);
    const properties = forget && isVersion5 ? { properties: { sessionExpiryInterval: 0 } } : {};
    client.end(!client.connected, properties, () => resolve());
    await promise;
    clearTimeout(cancel);
  }

  #connect(): void {
    const { open, login, isVersion5, isKept, clock, log, name, whenRoom } = this.#parts;
    this.#cancelRetry = null;
    const options: IClientOptions = {
      protocolId: 'MQTT',
      protocolVersion: isVersion5 ? 5 : 4,
      clientId: login.clientId,
      clean: !isKept,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      timerVariant: 'native',
      ...(login.username !== '' && { username: login.username }),
      ...(login.password !== '' && { password: login.password }),
      ...(isVersion5 && {
        properties: {
          receiveMaximum: RECEIVE_MAXIMUM,
          maximumPacketSize: MAX_PACKET,
          ...(isKept && { sessionExpiryInterval: SESSION_S }),
        },
      }),
    };
    const client = new MqttClient(() => {
      const socket = open();
      // Its own listeners come later than the first error of an address that is refused.
      socket.on('error', (error) => lost(`not reached: ${reasonOf(error)}`));
      return socket;
    }, options);
    this.#client = client;
    const lost = (reason: string): void => this.#lost(client, reason);
    const acks = new Map<number, Promise<void>>();
    holdAcks(
      client,
      (packetId) => {
        const taken = acks.get(packetId);
        acks.delete(packetId);
        return taken;
      },
      (error) => {
        log.warn({ broker: name, error }, 'values of a broker could not be handed on');
        lost('left alone: values could not be handed on');
      },
    );
    client.handleMessage = (_packet, callback) => whenRoom(callback);
    client.on('message', (topic, payload, packet) => {
      const taken = this.#parts.take(messageOf(topic, payload, packet));
      if (packet.qos > 0 && packet.messageId !== undefined)
        acks.set(packet.messageId % PACKET_IDS, taken);
      else
        taken.catch((error: unknown) =>
          log.warn({ broker: name, error }, 'values of a broker were lost'),
        );
    });
    client.on('connect', () => {
      this.#connectedAt = clock.elapsed();
      this.#problem = null;
      log.info({ broker: name, version: isVersion5 ? '5' : '3.1.1' }, 'connected to a broker');
      this.#subscriptions.connected(client);
      this.#parts.changed();
    });
    client.on('disconnect', ({ reasonCode }) =>
      lost(`gone: it ended the connection (${reasonCode ?? 0})`),
    );
    client.on('error', (error) => lost(`not reached: ${error.message}`));
    client.on('close', () => lost('gone: the connection ended'));
  }

  #lost(client: MqttClient, reason: string): void {
    if (this.#client !== client) return;
    const { clock, log, name, changed } = this.#parts;
    this.#client = null;
    this.#subscriptions.disconnected();
    client.on('error', () => {});
    client.end(true);
    if (this.#isClosed) return;
    const wasConnected = this.#problem === null;
    this.#problem = reason;
    const lastedMs = this.#connectedAt === null ? 0 : clock.elapsed() - this.#connectedAt;
    this.#connectedAt = null;
    if (lastedMs >= STEADY_MS) this.#retryMs = FIRST_RETRY_MS;
    // Not all at once after a broker was away.
    const waitMs = this.#retryMs * (0.5 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    this.#cancelRetry = clock.after(waitMs, () => this.#connect());
    log[wasConnected ? 'warn' : 'debug']({ broker: name, reason }, 'a broker is not connected');
    changed();
  }
}

/** What OpenSSL says went wrong, without where in its sources. */
const reasonOf = (error: Error): string =>
  'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;

const messageOf = (topic: string, payload: Buffer, packet: IPublishPacket): Message => ({
  topic,
  payload,
  isRetained: packet.retain,
  correlation: packet.properties?.correlationData ?? null,
});
