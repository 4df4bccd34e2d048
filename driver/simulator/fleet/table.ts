import { pskOf } from './identity.ts';

/** Code of each point of a simulated device, and where it is on the device. */
export const POINTS = [
  { code: 'temperature', objectId: '3303', resourceId: '5700' },
  { code: 'set-point', objectId: '3308', resourceId: '5900' },
] as const;

/** The devices as the platform imports them (CSV). */
export function tableOf(
  endpoints: readonly string[],
  { seed, isSecure }: { seed: string; isSecure: boolean },
): string {
  const titles = [
    'deviceName',
    'endpoint',
    ...(isSecure ? ['securityMode', 'pskIdentity', 'pskKey'] : []),
    ...POINTS.flatMap(({ code }) => [`${code}/objectId`, `${code}/resourceId`]),
  ];
  const places = POINTS.flatMap(({ objectId, resourceId }) => [objectId, resourceId]);
  const rows = endpoints.map((endpoint) => {
    const { identity, key } = pskOf(seed, endpoint);
    return [endpoint, endpoint, ...(isSecure ? ['PSK', identity, key] : []), ...places];
  });
  return [titles, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}
