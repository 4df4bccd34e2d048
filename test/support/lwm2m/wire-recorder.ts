import { attribute } from '../../../driver/sdk/attribute.ts';
import type { Driver } from '../../../driver/sdk/driver.ts';
import { NO_READS } from '../world/environment.ts';

/** What one write did: where it went, how it was encoded, and the bytes as text. */
export type WireLine = { deviceId: string; line: string };

/** The settings that decide where and how a write of this driver goes out. */
export const deviceSettings = { host: 'localhost', port: '502', key: 'aa' } as const;
export const pointSettings = { path: '/1', order: 'big' } as const;

/** A protocol that keeps what really went out, made of nothing but what the host handed to it. */
export function recordingDriver(code: string, lines: WireLine[]): Driver {
  const held = new Map<string, string>();
  return {
    code,
    name: code,
    type: 'DRIVER_CLIENT',
    driverAttributes: [
      attribute('host', 'STRING', deviceSettings.host, ''),
      attribute('port', 'STRING', deviceSettings.port, ''),
      { ...attribute('key', 'STRING', deviceSettings.key, ''), secret: true },
    ],
    pointAttributes: [
      attribute('path', 'STRING', pointSettings.path, ''),
      attribute('order', 'STRING', pointSettings.order, ''),
    ],
    readCron: NO_READS,
    start: async () => {},
    status: () => ({ status: 'ONLINE', description: '' }),
    read: async (_device, point) => ({ rawValue: held.get(point.id) ?? '20', originTime: 1 }),
    async write(device, point, raw) {
      held.set(point.id, raw);
      lines.push({
        deviceId: device.id,
        line: lineOf({ code, ...device.configs, ...point.configs, type: point.type, raw }),
      });
    },
    stop: async () => {},
  };
}

/** The same from the facts a test expects. */
export const lineOf = (facts: Readonly<Record<string, string>>): string =>
  ['code', 'host', 'port', 'key', 'path', 'order', 'type', 'raw']
    .map((name) => `${name}=${facts[name] ?? ''}`)
    .join(' ');
