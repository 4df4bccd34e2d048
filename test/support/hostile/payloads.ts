import { randomUUID } from 'node:crypto';

import { type Payload, type TopicName, topics } from '../../../src/bus/topic/topics.ts';
import type { Owned } from '../cases/populate.ts';
import type { Random } from './random.ts';

/** A good message of each topic, about entities of one tenant; drivers that do not exist register. */
export function payloadOf(topic: TopicName, own: Owned, random: Random): Record<string, unknown> {
  const now = Date.now();
  const ids = { tenantId: own.tenant, deviceId: own.device };
  const attribute = {
    code: `a${random.upTo(5)}`,
    name: 'a',
    type: 'INT' as const,
    defaultValue: '0',
    description: 'x',
    secret: false,
  };
  const version = '2.0.0';
  const known = {
    phase: 'SENDING',
    versionBefore: '1.0',
    pushes: 1,
    executions: 0,
    answer: random.pick(['NONE', 'SENT', 'ACCEPTED', 'REFUSED'] as const),
    session: 'x',
    resultBefore: random.pick([null, 0, 8]),
  } as const;
  const update = { updateId: randomUUID(), tenantId: own.tenant };
  const made: { [K in TopicName]: Payload<K> } = {
    'svc.e.firmware': {
      ...update,
      ...known,
      deviceId: own.device,
      packageId: '1',
      packageVersion: version,
      size: 1 + random.upTo(1000),
      sha256: '0'.repeat(64),
      packageUri: '',
      hasEnded: random.pick([true, false]),
      remainingMs: 60_000,
    },
    'svc.e.firmware_report': {
      ...update,
      ...known,
      driverCode: 'VirtualDriver',
      node: 'hostile',
      deviceId: own.device,
      sentBytes: random.upTo(1000),
      state: random.upTo(4),
      result: random.upTo(12),
      version,
      end: random.pick(['VERIFIED', 'FAILED', 'MISMATCH', 'UNKNOWN', null]),
      message: 'x',
      at: now,
    },
    'svc.e.firmware_request': {
      ...update,
      driverCode: 'VirtualDriver',
      node: 'hostile',
      asks: random.pick(['bytes', 'begin']),
      offset: 262_144 * random.upTo(3),
    },
    'svc.e.firmware_portion': {
      updateId: update.updateId,
      offset: 0,
      bytes: 'AAAA',
      mayBegin: random.pick([true, false, null]),
    },
    'svc.e.trace_request': { requestId: randomUUID(), ...ids, replyKey: randomUUID() },
    'svc.e.trace': {
      requestId: randomUUID(),
      node: 'hostile',
      trace: random.pick([null, { since: now, dropped: random.upTo(9), exchanges: [] }]),
    },
    'svc.e.value': {
      tenantId: own.tenant,
      driverId: own.driver,
      driverCode: 'VirtualDriver',
      node: 'hostile',
      values: Array.from({ length: 1 + random.upTo(3) }, () => ({
        deviceId: own.device,
        pointId: own.point,
        rawValue: '1',
        calValue: '1',
        numValue: 1,
        originTime: now - random.upTo(1e6),
        seq: random.upTo(1e6),
        quality: 0 as const,
      })),
    },
    'svc.e.point_command': {
      schemaVersion: 1,
      commandId: randomUUID(),
      ...ids,
      pointId: own.point,
      type: random.pick(['READ', 'WRITE']),
      value: '1',
      occurredAt: now,
      expireAt: now + 10_000,
      remainingMs: 10_000,
    },
    'svc.e.point_command_result': {
      schemaVersion: 1,
      commandId: random.chance(0.5) ? own.pointCommand : randomUUID(),
      tenantId: own.tenant,
      status: random.pick(['SUCCESS', 'FAILED', 'EXPIRED', 'DUPLICATE', 'UNKNOWN']),
      responseValue: '1',
      readBack: '1',
      errorCode: '',
      errorMessage: '',
      finishedAt: now,
    },
    'svc.e.command': {
      schemaVersion: 1,
      recordId: randomUUID(),
      ...ids,
      commandId: own.command,
      commandCode: 'purge',
      paramValues: { volume: '1' },
      occurredAt: now,
      expireAt: now + 10_000,
      remainingMs: 10_000,
    },
    'svc.e.command_result': {
      schemaVersion: 1,
      recordId: randomUUID(),
      tenantId: own.tenant,
      status: 'SUCCESS',
      resultValues: { volume: '1' },
      errorCode: '',
      errorMessage: '',
      finishedAt: now,
    },
    'svc.e.latest': { tenantId: own.tenant, points: ['4611686018427387900:1'] },
    'svc.e.state': {
      driverCode: random.pick(['HostileDriver', 'VirtualDriver']),
      node: 'hostile',
      at: now,
      leaseMs: 45_000,
      devices: [{ ...ids, status: 'ONLINE', description: 'x' }],
    },
    'svc.e.driver_register': {
      driverCode: `HostileDriver${random.upTo(5)}`,
      driverName: 'Hostile',
      driverType: 'DRIVER_CLIENT',
      serviceName: 'svc-driver-hostile',
      serviceHost: '127.0.0.1',
      node: 'hostile',
      driverAttributes: [attribute],
      pointAttributes: [attribute],
    },
    'svc.e.metadata': {
      kind: 'device',
      driverCode: random.pick(['Lwm2mDriver', 'HostileDriver']),
      tenantId: own.tenant,
      driverId: own.driver,
      device: {
        id: '4611686018427387900',
        name: 'x',
        enabled: true,
        configs: { endpoint: 'hostile' },
        points: [
          {
            id: own.point,
            name: 'p',
            code: 'p',
            type: 'DOUBLE',
            rw: 'READ_WRITE',
            base: 0,
            multiple: 1,
            decimals: 2,
            unit: '',
            configs: { objectId: '3' },
          },
        ],
      },
    },
    'svc.e.event': {
      schemaVersion: 1,
      recordId: randomUUID(),
      ...ids,
      eventCode: 'leak',
      eventType: 'ALERT',
      eventLevel: 'HIGH',
      params: { volume: '1' },
      message: 'x',
      occurTime: now,
    },
    'svc.e.alarm': {
      tenantId: own.tenant,
      target: 'DEVICE',
      entityId: own.device,
      type: 'FAULT',
      source: 'DEVICE_REPORT',
      message: 'x',
      occurTime: now,
    },
    'svc.e.identity': {
      tenantId: own.tenant,
      kind: 'AGENT_TRIED',
      message: 'x',
      occurTime: now,
    },
    'svc.e.registered': {
      driverCode: 'VirtualDriver',
      node: 'hostile',
      devices: [
        {
          ...ids,
          endpoint: 'urn:dev:1',
          version: '1.1',
          at: now,
          objects: ['3/0', '3303/0'].slice(random.upTo(2)),
          leftOut: random.upTo(3),
        },
      ],
    },
    'svc.e.notify': {
      tenantId: own.tenant,
      notifyHistoryId: own.notification,
      channelId: own.channel,
    },
  };
  return made[topic];
}

export const topicNames = (): TopicName[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of that very object
  Object.keys(topics) as TopicName[];

/** The routing key each message is sent by. */
export const keyOf = (payload: Record<string, unknown>): string =>
  typeof payload['driverCode'] === 'string' && payload['driverCode'] !== ''
    ? payload['driverCode']
    : 'VirtualDriver';
