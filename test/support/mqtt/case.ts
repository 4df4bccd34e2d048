import { afterEach, beforeEach, expect } from 'vitest';

import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { driverDevice } from '../devices/driver-center.ts';
import { until } from '../world/until.ts';
import { type MqttBench, openMqttBench } from './bench.ts';
import { type Field, startField } from './field.ts';
import { type Mosquitto, startMosquitto } from './mosquitto.ts';

type Configs = Record<string, string>;

/** A broker, a device at it and drivers, anew for each test. */
export class MqttCase {
  readonly benches: MqttBench[] = [];
  #broker: Mosquitto | null = null;
  #field: Field | null = null;

  constructor() {
    beforeEach(async () => {
      this.#broker = await startMosquitto();
      this.#field = await startField(this.#broker.url);
    });
    afterEach(async () => {
      await this.#field?.stop();
      for (const each of this.benches.splice(0)) await each.stop();
      await this.#broker?.stop();
    });
  }

  get broker(): Mosquitto {
    if (!this.#broker) throw new Error('no test runs');
    return this.#broker;
  }

  get field(): Field {
    if (!this.#field) throw new Error('no test runs');
    return this.#field;
  }

  /** A driver that is connected, with a point. */
  async open(
    configs: Configs,
    point: Configs = {},
    node = 'n1',
    more: Pick<DriverDevice, 'commands' | 'events'> = {},
  ): Promise<MqttBench> {
    const { url, port } = this.broker;
    const device = driverDevice(
      { url, device: 'dev-1', statusTopic: '${device}/status', ...configs },
      [{ id: '1', code: 'temperature', rw: 'READ_WRITE', configs: point }],
    );
    Object.assign(device, more);
    const opened = await openMqttBench(device, { allow: [`127.0.0.1:${port}`], node });
    this.benches.push(opened);
    await until(() => expect(opened.status().status).toBe('ONLINE'));
    return opened;
  }

  send(v: unknown, ts: number, more: object = {}) {
    return this.field.send('dev-1/temperature', JSON.stringify({ v, ts, ...more }));
  }
}
