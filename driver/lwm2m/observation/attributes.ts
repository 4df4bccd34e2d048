import { DriverFailure, type DriverPoint } from '../../sdk/driver.ts';

/** How often a device reports without a change unless the point says otherwise: as often as it would be read. */
const DEFAULT_PMAX_S = 30;
const MAX_S = 86_400;

/** When a device reports an observed resource (OMA Core 1.1, 5.1.2: notification attributes). */
export type NotificationAttributes = {
  /** Longest time between two reports, in seconds. */
  pmaxS: number;
  /** As the query of Write-Attributes. */
  query: readonly string[];
};

const NUMBERS = ['gt', 'lt', 'st'] as const;

/** Throws `DriverFailure` `POINT_CONFIG` for what no device would take. */
export function notificationAttributesOf({
  configs,
}: Pick<DriverPoint, 'configs'>): NotificationAttributes {
  const secondsOf = (code: string): number | null => {
    const text = (configs[code] ?? '').trim();
    if (text === '') return null;
    const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(seconds <= MAX_S))
      throw new DriverFailure('POINT_CONFIG', `${code} must be 0 to ${MAX_S} seconds`);
    return seconds;
  };
  const pminS = secondsOf('pmin') ?? 0;
  const pmaxS = secondsOf('pmax') ?? DEFAULT_PMAX_S;
  if (pmaxS === 0 || pminS > pmaxS)
    throw new DriverFailure('POINT_CONFIG', 'pmax must be at least a second and not below pmin');
  const query = [...(pminS === 0 ? [] : [`pmin=${pminS}`]), `pmax=${pmaxS}`];
  const bounds = { lt: -Infinity, st: 0, gt: Infinity };
  for (const code of NUMBERS) {
    const text = (configs[code] ?? '').trim();
    if (text === '') continue;
    if (!/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) || (code === 'st' && text.startsWith('-')))
      throw new DriverFailure('POINT_CONFIG', `${code} must be a number`);
    bounds[code] = Number(text);
    query.push(`${code}=${text}`);
  }
  if (!(bounds.lt + 2 * bounds.st < bounds.gt))
    throw new DriverFailure('POINT_CONFIG', 'lt must be below gt by more than two steps of st');
  return { pmaxS, query };
}

/** Whether the device is to report the point by itself. */
export const isObserved = ({ configs, rw }: Pick<DriverPoint, 'configs' | 'rw'>): boolean =>
  rw !== 'WRITE_ONLY' && /^(?:true|1)$/i.test((configs['observe'] ?? '').trim());
