import { EVENT_NEEDS } from '../agentic/handover/wait.ts';
import { allows } from '../auth/permission/permission.ts';
import { latestOf } from '../data/value/latest-value.ts';
import { keyOf } from '../data/value/pair.ts';
import type { Queries } from '../db/connect.ts';
import type { Caller } from '../kernel/app/app.ts';
import { headOf } from '../kernel/feed/change.ts';
import { presencesOf } from '../manager/presence/presence.ts';
import type { Subscribed, LiveSync } from './answer.ts';
import type { AskedLive } from './asked.ts';

/** What each event needs: the same as for reading what it is about. */
const NEEDS: Record<Subscribed, string> = {
  value: 'svc-center-data:point_value:list',
  device: 'svc-center-data:device_status:list',
  alarm: EVENT_NEEDS.alarm,
  action: EVENT_NEEDS.action,
  receipt: EVENT_NEEDS.command,
};

const ALL: readonly Subscribed[] = ['value', 'device', 'alarm', 'action', 'receipt'];

export const subscribedBy = (caller: Caller): Subscribed[] =>
  ALL.filter((event) => allows(caller, NEEDS[event]));

/**
 * What was asked for as it is now, and the place of the feed that it holds at least. Asks everything at once, for one
 * trip; `now` in ms since the epoch.
 */
export async function readFirstState(
  q: Queries,
  tenantId: string,
  { points, devices }: AskedLive,
  { hears, now }: { hears: Subscribed[]; now: number },
): Promise<{ head: string; sync: LiveSync }> {
  const askedPoints = hears.includes('value') ? points : [];
  const askedDevices = hears.includes('device') ? devices : [];
  // The place first: what the others see holds all up to it.
  const [head, values, presences] = await Promise.all([
    headOf(q, tenantId),
    latestOf(q, tenantId, askedPoints, now),
    presencesOf(q, tenantId, askedDevices, now),
  ]);
  const foundPoints = new Set(values.map(keyOf));
  const foundDevices = new Set(presences.map(({ deviceId }) => deviceId));
  const missing = {
    points: askedPoints.map(keyOf).filter((key) => !foundPoints.has(key)),
    devices: askedDevices.filter((id) => !foundDevices.has(id)),
  };
  return { head, sync: { hears, values, devices: presences, missing } };
}
