import type { AttributeType, Quality } from '../../bus/topic/topics.ts';
import { parseDecimal } from '../../kernel/decimal.ts';
import type { Status } from '../../manager/device/state.ts';
import { canonical } from '../../manager/entity/value-type.ts';
import type { Presence } from '../../manager/presence/presence.ts';
import type { Freshness } from '../value/freshness.ts';

/** Why a point has no fresh and good value, in the order in which causes are looked for; ARRIVING: it has one. */
export const CAUSES = [
  'ARRIVING',
  'DEVICE_DISABLED',
  'PROFILE_DISABLED',
  'DRIVER_DISABLED',
  'POINT_DISABLED',
  'WRITE_ONLY',
  'NOTHING_RECEIVED',
  'DRIVER_UNDECLARED',
  'DRIVER_GONE',
  'NOT_REPORTED',
  'NODE_GONE',
  'OTHER_ENDPOINT',
  'NEVER_CONNECTED',
  'OFFLINE',
  'UNANSWERED',
  'ASLEEP',
  'VALUE_DUE',
  'NOT_READ',
  'OVERDUE',
  'REFUSED',
  'FORMAT',
  'NO_VALUE',
  'SCALING',
  'UNFIT',
  'MARKED_BAD',
  'DOUBT',
  'TIME_AHEAD',
  'RANGE',
] as const;
export type Cause = (typeof CAUSES)[number];

/** The latest value as it is stored. */
export type LatestFacts = Freshness & {
  storedQuality: keyof typeof Quality;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  /** What its driver said of it. */
  issue: string | null;
};

/** What the platform knows of a point; times in ms since the epoch. */
export type Circumstances = {
  enabled: Readonly<Record<'device' | 'profile' | 'driver' | 'point', boolean>>;
  isReadable: boolean;
  type: AttributeType;
  unit: string;
  range: { min: number | null; max: number | null };
  /** Since when no message of any driver has been received; null while they are. */
  breakSince: number | null;
  driver: { code: string; isDeclared: boolean; status: Status; heardAt: number | null };
  presence: Presence;
  /** Whether a driver node reported the device and its lease has ended without a word of its end. */
  /** Whether its driver has spoken of the device. */
  isReported: boolean;
  isLapsed: boolean;
  /** The name that the device has to register with; null without one. */
  endpoint: string | null;
  /** A name that was refused although it came with the key of the device. */
  otherEndpoint: string | null;
  /** The last change of the device. */
  changedAt: number;
  /** The last change of what is read; the device is online at least as long. Null while it is not online. */
  readableSince: number | null;
  intervalMs: number;
  /** Why the last read of the device had no answer; empty otherwise. */
  readIssue: string;
  /** It sleeps between its reports, and is read when it wakes. */
  sleeps: boolean;
  /** The object instance at the path of the point, where the device did not register it. */
  unregistered: string | null;
  latest: LatestFacts | null;
};

/** The cause with what its sentence says of it. */
export type Silence = {
  cause: Cause;
  /** Since when it is so, or until when a value is due (VALUE_DUE). */
  at: number | null;
  /** Words of the driver or the device. */
  said: string | null;
};

/** In read intervals: a read may be late once before nothing counts as read. */
const READ_WITHIN = 2;
const REFUSED = /\banswered [45]\.\d\d\b/;
/** Words of the codecs and of the negotiation of formats. */
const FORMAT = /\b(?:Content-Format|payload|JSON|SenML|CBOR|TLV|UTF-8)\b|^the device sent /;

const silence = (cause: Cause, more: Partial<Omit<Silence, 'cause'>> = {}): Silence => ({
  at: null,
  said: null,
  ...more,
  cause,
});

type Step = (of: Circumstances, now: number) => Silence | null;

/** The first step that finds a cause decides. */
const steps: readonly Step[] = [configuration, lease, registration, lastExchange, format, scaling];

/** The first cause for which a point has no fresh and good value; `now` in ms since the epoch. */
export function silenceOf(of: Circumstances, now: number): Silence {
  const { latest } = of;
  if (latest && !latest.stale && latest.storedQuality === 'GOOD')
    return silence(isInRange(of) ? 'ARRIVING' : 'RANGE');
  for (const step of steps) {
    const found = step(of, now);
    if (found) return found;
  }
  return silence('ARRIVING');
}

function configuration({ enabled, isReadable }: Circumstances): Silence | null {
  if (!enabled.device) return silence('DEVICE_DISABLED');
  if (!enabled.profile) return silence('PROFILE_DISABLED');
  if (!enabled.driver) return silence('DRIVER_DISABLED');
  if (!enabled.point) return silence('POINT_DISABLED');
  return isReadable ? null : silence('WRITE_ONLY');
}

/** Of a value that came just now the connection is no matter. */
const isLate = ({ latest }: Circumstances): boolean => latest?.stale ?? true;

function lease(of: Circumstances): Silence | null {
  if (!isLate(of)) return null;
  const { breakSince, driver, presence } = of;
  if (breakSince !== null) return silence('NOTHING_RECEIVED', { at: breakSince });
  if (driver.status === 'unknown' && !driver.isDeclared) return silence('DRIVER_UNDECLARED');
  if (driver.status !== 'online') return silence('DRIVER_GONE', { at: driver.heardAt });
  if (!of.isReported) return silence('NOT_REPORTED', { at: of.changedAt });
  return of.isLapsed ? silence('NODE_GONE', { at: timeOf(presence.offlineSince) }) : null;
}

function registration(of: Circumstances): Silence | null {
  const { presence, otherEndpoint } = of;
  if (!isLate(of) || presence.status === 'online') return null;
  if (otherEndpoint !== null) return silence('OTHER_ENDPOINT', { said: otherEndpoint });
  const said = presence.description || null;
  return presence.neverConnected
    ? silence('NEVER_CONNECTED', { said })
    : silence('OFFLINE', { at: timeOf(presence.offlineSince), said });
}

function lastExchange(of: Circumstances, now: number): Silence | null {
  const { latest, readIssue, readableSince, intervalMs } = of;
  if (isLate(of)) {
    if (readIssue !== '') return silence('UNANSWERED', { said: readIssue });
    if (of.sleeps) return silence('ASLEEP', { said: of.presence.description || null });
    if (latest === null || latest.storedQuality === 'GOOD') {
      const dueAt = (readableSince ?? now) + READ_WITHIN * intervalMs;
      if (now <= dueAt) return silence('VALUE_DUE', { at: dueAt });
      return latest === null ? silence('NOT_READ', { at: readableSince }) : silence('OVERDUE');
    }
  }
  const said = latest?.issue ?? '';
  return REFUSED.test(said) ? silence('REFUSED', { said }) : null;
}

function format({ latest, type }: Circumstances): Silence | null {
  if (latest?.storedQuality !== 'BAD') return null;
  const { issue, calValue } = latest;
  if (issue) return silence(FORMAT.test(issue) ? 'FORMAT' : 'NO_VALUE', { said: issue });
  return calValue === '' && type !== 'STRING' ? silence('FORMAT') : null;
}

function scaling({ latest, type }: Circumstances): Silence | null {
  if (!latest) return null;
  if (latest.storedQuality === 'UNCERTAIN')
    return latest.issue ? silence('DOUBT', { said: latest.issue }) : silence('TIME_AHEAD');
  const said = latest.calValue;
  if (canonical(type, said) !== null) return silence('MARKED_BAD', { said });
  return silence(parseDecimal(said) === null ? 'SCALING' : 'UNFIT', { said });
}

function isInRange({ latest, range }: Circumstances): boolean {
  const value = latest?.numValue ?? null;
  if (value === null) return true;
  return value >= (range.min ?? -Infinity) && value <= (range.max ?? Infinity);
}

const timeOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));
