import { pskOf } from './identity.ts';

/** Code of each point of a simulated device, and where it is on the device. */
export const POINTS = [
  { code: 'temperature', objectId: '3303', resourceId: '5700' },
  { code: 'set-point', objectId: '3308', resourceId: '5900' },
] as const;
/** The point that a device reports by itself where that is asked for. */
const OBSERVED = 'temperature';

/** The devices as the platform imports them (CSV). */
export function tableOf(
  endpoints: readonly string[],
  { seed, isSecure, isObserved }: { seed: string; isSecure: boolean; isObserved: boolean },
): string {
  const titles = [
    'deviceName',
    'endpoint',
    ...(isSecure ? ['securityMode', 'pskIdentity', 'pskKey'] : []),
    ...POINTS.flatMap(({ code }) => [`${code}/objectId`, `${code}/resourceId`]),
    ...(isObserved ? [`${OBSERVED}/observe`] : []),
  ];
  const places = POINTS.flatMap(({ objectId, resourceId }) => [objectId, resourceId]);
  const rows = endpoints.map((endpoint) => {
    const { identity, key } = pskOf(seed, endpoint);
    const security = isSecure ? ['PSK', identity, key] : [];
    return [endpoint, endpoint, ...security, ...places, ...(isObserved ? ['true'] : [])];
  });
  return [titles, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}
