import type { Bus } from '../../../src/bus/bus.ts';
import { type Payload, topics } from '../../../src/bus/topic/topics.ts';
import { type Driver, DriverFailure } from '../driver.ts';
import { bounded, failure, Once, type OnceParts } from './at-most-once.ts';
import type { Ended } from './ends.ts';
import type { CommandStore } from './store.ts';
import { untilCompared } from './target.ts';

type Call = Payload<'svc.e.command'>;
type Result = Payload<'svc.e.command_result'>;
type Outcome = Ended & { resultValues?: Record<string, string> };

const MAX_VALUES = 64;
const MAX_TEXT = 4096;

/** Executes custom commands at most once each (docs/specification/commands.md, Custom command). */
export function createCallRunner({
  store,
  bus,
  ...parts
}: OnceParts & { driver: Driver; store: CommandStore; bus: Bus }): Once<Call, Outcome> {
  const { driver, devices, serving, clock } = parts;

  async function run(call: Call, deadline: number): Promise<Outcome> {
    const { tenantId, deviceId, commandId, paramValues } = call;
    await untilCompared(parts, deviceId, deadline);
    const device = devices.get(deviceId);
    if (device?.tenantId !== tenantId)
      throw new DriverFailure('DEVICE_UNKNOWN', 'the driver does not know this device');
    if (!device.enabled) throw new DriverFailure('DEVICE_DISABLED', 'the device is disabled');
    const command = device.commands?.find(({ id }) => id === commandId);
    if (!command) throw new DriverFailure('COMMAND_UNKNOWN', 'the device has no such command');
    if (!driver.call)
      throw new DriverFailure('UNSUPPORTED', 'this driver has no commands besides read and write');
    try {
      const calling = driver.call(device, command, paramValues, deadline);
      const resultValues = withinLimits(await bounded(clock, deadline, calling));
      const doubt = serving.doubtOf(device);
      // Something answered; that it is the device is not known.
      return doubt
        ? { status: 'UNKNOWN', errorCode: doubt.code, errorMessage: doubt.message, resultValues }
        : { status: 'SUCCESS', resultValues };
    } catch (error) {
      return failure(error, 'UNKNOWN');
    }
  }

  async function publish(
    { id, tenantId }: { id: string; tenantId: string },
    outcome: Outcome,
  ): Promise<void> {
    const result: Result = {
      schemaVersion: 1,
      resultValues: {},
      errorCode: '',
      ...outcome,
      errorMessage: (outcome.errorMessage ?? '').slice(0, 1024),
      recordId: id,
      tenantId,
      finishedAt: clock.now(),
    };
    await bus.publish('svc.e.command_result', result, { key: driver.code, mandatory: true });
  }

  return new Once<Call, Outcome>({
    ...parts,
    idOf: ({ recordId }) => recordId,
    changesDevice: () => true,
    parse: (stored) => topics['svc.e.command'].payload.safeParse(stored).data ?? null,
    run,
    publish,
    store,
  });
}

/** Answer of a device, cut to the limits of the message. */
function withinLimits(values: Record<string, string>): Record<string, string> {
  const kept = Object.entries(values).slice(0, MAX_VALUES);
  return Object.fromEntries(
    kept.map(([name, value]) => [name.slice(0, 64), value.slice(0, MAX_TEXT)]),
  );
}
