import { join } from 'node:path';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { Peer } from '../coap/contract.ts';
import type { DriverHost } from '../sdk/driver.ts';
import { Observer } from './observation/observer.ts';
import { createSends, type Sends } from './observation/send.ts';
import { presenceOf } from './presence/presence.ts';
import { withQueueMode } from './presence/queue-mode-ports.ts';
import { createRestoredSessions, type RestoredSessions } from './presence/restored-sessions.ts';
import { Takeover } from './presence/takeover.ts';
import { trustedNetworkOf } from './presence/trusted-network.ts';
import { type Opened, RegisteredDevices } from './registered-devices.ts';
import { RegistrationStore } from './registration/store.ts';
import { type Lwm2mPlaces, openPorts } from './security/ports.ts';
import { withTraces } from './trace/traced-ports.ts';
import { type Answers, withTracedRequests } from './trace/traced-requests.ts';
import { Traces } from './trace/traces.ts';

/** The parts of a started driver. */
export type Running = Opened & {
  registered: RegisteredDevices;
  sessions: RestoredSessions;
  traces: Traces;
  stop(): Promise<void>;
};

/** Opens the ports and serves what registers there. Without `dataDir` nothing outlives a restart. */
export async function openRunning({
  host,
  places,
  clock,
  log,
  dataDir,
}: {
  host: DriverHost;
  places: Lwm2mPlaces;
  clock: Clock;
  log: Log;
  dataDir: string | undefined;
}): Promise<Running> {
  const store = dataDir
    ? new RegistrationStore(join(dataDir, 'lwm2m-registrations.log'), { clock, log })
    : null;
  const restored = (await store?.load()) ?? { registrations: [], changes: [], sessions: [] };
  let opened: Opened | null = null;
  const registered = new RegisteredDevices({
    host,
    store,
    restored,
    opened: () => opened,
    clock,
    log,
  });
  const { registrations, changes, psk, bootstraps, queueModeDevices } = registered;
  const takeover = new Takeover({
    registrations,
    ask: async (registration) =>
      opened ? presenceOf(registration, { ports: opened.ports, clock }) : 'busy',
    silenceOf: (peer) => opened?.ports.silenceOf(peer) ?? null,
    isTrusted(deviceId, from, to) {
      const device = host.devices().get(deviceId);
      const network = device ? trustedNetworkOf(device, to) : null;
      return device !== undefined && network !== null && trustedNetworkOf(device, from) === network;
    },
    leave: (peer) => opened?.ports.leave(peer),
    changed(change) {
      changes.add(change);
      const device = host.devices().get(change.deviceId);
      if (device) host.stateChanged(device);
    },
    clock,
    log,
  });
  const traces = new Traces(clock);
  const registrationAt = (peer: Peer) => registrations.at(peer);
  const sends = createSends({ registrations, queueModeDevices, host, clock, log });
  const closeParts = (): void => {
    registered.close();
    sends.close();
  };
  try {
    const answers = answersOf({ bootstraps, takeover, registrations, sends });
    const parts = { traces, registrationAt, ownersOf: registered.endpoints.ownersOf, clock };
    const bare = await openPorts({
      places,
      clock,
      log,
      keys: (identity) => psk.keysOf(identity),
      keeper: store?.sessions,
      strayed: (to, from) => registrations.strayed(to, from),
      ...withTracedRequests(answers, parts),
    });
    const ports = withQueueMode(withTraces(bare, parts), {
      registrationAt,
      isTaken: (peer) => registrations.isTaken(peer),
      queueModeDevices,
    });
    const observer = new Observer({
      host,
      ports,
      registrationOf: (device) => registered.of(device),
      isAwake: (device, registration) => registered.isAwake(device, registration),
      clock,
      log,
    });
    opened = { ports, observer };
    return {
      ports,
      observer,
      registered,
      traces,
      sessions: createRestoredSessions(restored.sessions, { host, store, psk, ports }),
      async stop() {
        opened = null;
        observer.stop();
        await ports.close();
        closeParts();
        await store?.close();
      },
    };
  } catch (error) {
    closeParts();
    throw error;
  }
}

type Answering = Pick<RegisteredDevices, 'bootstraps' | 'registrations'> & {
  takeover: Takeover;
  sends: Sends;
};

/** Which part answers a request of a device, or refuses it by its head alone. */
const answersOf = ({ bootstraps, takeover, registrations, sends }: Answering): Answers => ({
  async onRequest(request) {
    if (bootstraps.takes(request)) return bootstraps.answer(request);
    return request.path[0] === 'dp' ? sends.answer(request) : takeover.answer(request);
  },
  admit(head) {
    if (bootstraps.takes(head)) return bootstraps.refusalBefore(head);
    return takeover.holds(head.path) ? null : registrations.refusalBefore(head);
  },
});
