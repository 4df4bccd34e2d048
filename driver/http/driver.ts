import type { PackageContext } from '../package/context.ts';
import type { Driver, DriverDevice, DriverHost, Place } from '../sdk/driver.ts';
import { commandAttributes, driverAttributes, pointAttributes } from './device/attributes.ts';
import { Devices } from './device/devices.ts';
import { Commands } from './pull/commands.ts';
import { Probes } from './pull/probes.ts';
import { Pull } from './pull/pull.ts';
import { PushServer } from './push/server.ts';

type Context = PackageContext & {
  place: Place;
  egressAllow: readonly string[];
};

type Running = { server: PushServer; pull: Pull; probes: Probes; commands: Commands };

/** Devices that push their values by a signed webhook, and devices that are asked for JSON (docs/http.md). */
export function createHttpDriver(context: Context): Driver {
  const { clock, place } = context;
  const devices = new Devices(clock);
  let running: Running | null = null;
  let { port } = place;
  const started = (): Running => {
    if (!running) throw new Error('the driver has not started');
    return running;
  };
  return {
    code: 'HttpDriver',
    name: 'HTTP Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes,
    pointAttributes,
    commandAttributes,
    readCron: '0/30 * * * * ?',
    customCron: '0/5 * * * * ?',
    async start(host) {
      running = partsOf(host, devices, context);
      port = await running.server.open(place.host, place.port);
    },
    listening: () => [{ ...place, port }],
    deviceChanged(device) {
      devices.changed(device);
      running?.probes.changed(device);
    },
    servingChanged: (device) => running?.probes.changed(device),
    deviceRemoved(device) {
      devices.removed(device);
      running?.probes.removed(device);
      running?.server.forget(device.id);
    },
    reportsOnly: ({ id }) => !devices.of(id)?.url,
    status: (device) => devices.status(device),
    read: (device, point, deadline) => started().pull.read(device, point, deadline),
    readMany: (device, points, deadline) => started().pull.readMany(device, points, deadline),
    write: (device, point, raw, deadline) => started().commands.write(device, point, raw, deadline),
    readBack: (device, point, raw, deadline) =>
      started().commands.readBack(device, point, raw, deadline),
    call: (device, command, params, deadline) =>
      started().commands.call(device, command, params, deadline),
    async custom() {
      running?.probes.look();
    },
    async stop() {
      running?.probes.stop();
      await running?.server.close();
      await running?.pull.close();
    },
  };
}

function partsOf(
  host: DriverHost,
  devices: Devices,
  { clock, log, egressAllow }: Context,
): Running {
  const answered = (device: DriverDevice, isThere: boolean, problem: string | null): void => {
    const before = devices.status(device).status;
    devices.stateOf(device.id)?.answered(isThere, problem);
    probes.answered(device, isThere);
    if (devices.status(device).status !== before) host.stateChanged(device);
  };
  const bound = (device: DriverDevice) => devices.demand(device);
  const pull = new Pull({ clock, bound, answered }, egressAllow);
  const probes = new Probes({ host, clock, devices, pull });
  const commands = new Commands({ clock, devices, pull });
  const pushed: Commands['pushed'] = (report) => commands.pushed(report);
  return {
    pull,
    probes,
    commands,
    server: new PushServer({ host, devices, pushed, clock, log }),
  };
}
