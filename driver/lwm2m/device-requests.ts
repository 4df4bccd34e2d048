import type { Clock } from '../../src/kernel/clock.ts';
import { CoapFailure } from '../coap/contract.ts';
import type { Driver, DriverDevice } from '../sdk/driver.ts';
import { offline } from '../sdk/failure.ts';
import { resourceOf } from './codec/resource.ts';
import { textOfUnreachable } from './device-status.ts';
import type { Observe } from './firmware/object.ts';
import { updateFirmware } from './firmware/update.ts';
import { callOperation } from './operation/call.ts';
import { createCompositeReads } from './operation/composite-reads.ts';
import { readResource, type Send, writeResource } from './operation/request.ts';
import type { Registration } from './registration/registration.ts';
import type { Running } from './running.ts';

type Requests = Required<Pick<Driver, 'read' | 'readMany' | 'write' | 'call' | 'firmware'>>;

/** What the driver asks of devices; `runningNow` answers null before its start and after its stop. */
export function createRequests(runningNow: () => Running | null, clock: Clock): Requests {
  const composites = createCompositeReads(clock);

  /** Throws `DriverFailure` for a device that is not registered or cannot be reached. */
  function reach(device: DriverDevice): { registration: Registration; send: Send } {
    const running = runningNow();
    const registration = running?.registered.of(device);
    if (!running || !registration || !running.ports.isReachable(registration.peer)) {
      const why = textOfUnreachable(device, running);
      throw offline(`the device is ${why}`);
    }
    const { ports } = running;
    return { registration, send: (peer, request) => ports.request(peer, request) };
  }

  return {
    async read(device, point, deadline) {
      const { registration, send } = reach(device);
      const rawValue = await readResource(send, { registration, ...resourceOf(point), deadline });
      return { rawValue, originTime: clock.now() };
    },
    async readMany(device, points, deadline) {
      const { registration, send } = reach(device);
      return composites.read(send, { registration, deadline }, points);
    },
    async write(device, point, raw, deadline) {
      const { registration, send } = reach(device);
      await writeResource(send, { registration, ...resourceOf(point), deadline }, raw);
    },
    async call(device, command, params, deadline) {
      const { registration, send } = reach(device);
      return callOperation(send, { registration, deadline, device }, command, params);
    },
    firmware(device, update) {
      const { send } = reach(device);
      const observe: Observe = async (...given) => {
        const running = runningNow();
        if (!running) throw new CoapFailure('closed', 'the driver stops');
        return running.ports.observe(...given);
      };
      const registration = () => runningNow()?.registered.of(device) ?? null;
      const isAwake = (own: Registration): boolean =>
        runningNow()?.registered.isAwake(device, own) === true;
      return updateFirmware(update, { send, observe, registration, isAwake, clock });
    },
  };
}
