import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { CenterTime } from '../center-time.ts';
import type { Driver, DriverDevice } from '../driver.ts';
import type { Serving } from '../serving.ts';
import type { KnownVersions } from './known-versions.ts';
import type { Registration } from './registration.ts';

type Parts = {
  driver: Driver;
  devices: Map<string, DriverDevice>;
  known: KnownVersions;
  serving: Serving;
  time: CenterTime;
  registration: Registration;
  node: string;
  /** The state of the device is to be reported at once. */
  changed(device: DriverDevice): void;
  /** Commands that wait for the device: it may listen now, or be asked no more. */
  look(deviceId: string): void;
};

/** Applies what the manager center sends: which devices there are, and which node serves each. */
export class Metadata {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async take(message: Payload<'svc.e.metadata'>): Promise<void> {
    const { driver, devices, known, serving, time, registration, node } = this.#parts;
    const { changed, look } = this.#parts;
    if (message.kind === 'registered') {
      time.learn(message.at);
      if (message.node !== node) return;
      for (const device of known.goneSince(message.since ?? 0)) this.#remove(device);
      return registration.answer(devices.size);
    }
    if (message.kind === 'device') {
      if (!known.isNewer(message.device.id, message.version)) return;
      const { tenantId, driverId } = message;
      const device: DriverDevice = { ...message.device, tenantId, driverId };
      devices.set(device.id, device);
      serving.know(device.id, message.node ?? '');
      driver.deviceChanged?.(device);
      look(device.id);
      return changed(device);
    }
    if (message.kind === 'serving') {
      for (const device of serving.take(message)) changed(device);
      for (const { deviceId } of message.devices) {
        const device = devices.get(deviceId);
        if (device) driver.servingChanged?.(device);
        look(deviceId);
      }
      return;
    }
    if (message.kind === 'resync') {
      if ((message.node ?? node) === node) await registration.again();
      return;
    }
    const device = devices.get(message.deviceId);
    const isNewer = known.isNewer(message.deviceId, message.version);
    if (isNewer && device?.tenantId === message.tenantId) this.#remove(device);
  }

  #remove(device: DriverDevice): void {
    const { driver, devices, known, serving, look } = this.#parts;
    devices.delete(device.id);
    known.isGone(device.id);
    serving.forget(device.id);
    driver.deviceRemoved?.(device);
    look(device.id);
  }
}
