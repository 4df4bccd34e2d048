import type { PackageContext } from '../package/context.ts';
import type { Driver } from '../sdk/driver.ts';
import {
  commandAttributes,
  driverAttributes,
  eventAttributes,
  pointAttributes,
} from './attributes.ts';
import { reportsOnly } from './binding.ts';
import { Listening } from './listening.ts';

/**
 * Devices behind MQTT brokers of any make (MQTT 5 and 3.1.1): each device says which broker, and each point at which
 * topic (docs/mqtt.md).
 */
export function createMqttDriver(
  context: PackageContext & { egressAllow: readonly string[] },
): Driver {
  let listening: Listening | null = null;
  const started = (): Listening => {
    if (!listening) throw new Error('the driver has not started');
    return listening;
  };
  return {
    code: 'MqttDriver',
    name: 'MQTT Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes,
    pointAttributes,
    commandAttributes,
    eventAttributes,
    readCron: '0/30 * * * * ?',
    async start(host) {
      listening = await Listening.open(host, context);
    },
    deviceChanged: (device) => listening?.changed(device),
    servingChanged: (device) => listening?.changed(device),
    deviceRemoved: (device) => listening?.removed(device),
    reportsOnly,
    reportedMs: (device, point) => started().reportedMs(device, point),
    status: (device) => started().status(device),
    read: (device, point, deadline) => started().requests.read(device, point, deadline),
    write: (device, point, raw, deadline) => started().requests.write(device, point, raw, deadline),
    readBack: (device, point, raw, deadline) =>
      started().requests.readBack(device, point, raw, deadline),
    call: (device, command, params, deadline) =>
      started().calls.call(device, command, params, deadline),
    async stop() {
      await listening?.stop();
    },
  };
}
