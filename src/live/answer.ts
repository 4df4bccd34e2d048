import { z } from 'zod';

import type { EventPage } from '../agentic/handover/events.ts';
import type { Ending } from '../auth/permission/follow-permitted.ts';
import { LatestValue } from '../data/value/latest-value.ts';
import { IsoTime } from '../kernel/entity/answer.ts';
import { FEED_KINDS, type FeedKind } from '../kernel/feed/change.ts';
import { Presence } from '../manager/presence/presence.ts';

const EVENTS = ['value', 'device', 'alarm', 'action', 'receipt'] as const;
export type Subscribed = (typeof EVENTS)[number];

/** The data of a `value`. */
export const LiveValue = LatestValue.omit({
  tenantId: true,
  driverId: true,
  deviceName: true,
  pointName: true,
  pointCode: true,
  pointTypeFlag: true,
  unit: true,
  claimedTime: true,
}).meta({ id: 'LiveValue' });

/** The data of `device`, `alarm`, `action` and `receipt`. */
export const LiveEvent = z
  .object({
    kind: z.enum(FEED_KINDS),
    what: z.string().meta({ examples: ['RAISED'] }),
    ref: z.string().describe('Id of the device, alarm, action or command'),
    deviceId: z.string().nullable(),
    deviceName: z.string().nullable(),
    actionId: z.string().nullable().describe('Of a receipt: the action that it belongs to'),
    occurTime: IsoTime,
    say: z.string().describe('What is known, in one sentence'),
    done: z.boolean().optional().describe('Of an action or receipt: whether nothing more comes'),
  })
  .meta({ id: 'LiveEvent' });

/** The data of `sync`: all that a page needs to begin with. */
export const LiveSync = z
  .object({
    hears: z.array(z.enum(EVENTS)).describe('The events that the caller may hear'),
    values: z.array(LatestValue),
    devices: z.array(z.object({ deviceId: z.string(), deviceName: z.string(), ...Presence.shape })),
    missing: z
      .object({ points: z.array(z.string()), devices: z.array(z.string()) })
      .describe('What was asked for and does not exist for the caller'),
  })
  .meta({ id: 'LiveSync' });
export type LiveSync = z.output<typeof LiveSync>;

/** The data of `resume-gap`. */
export const LiveGap = z.object({ say: z.string() }).meta({ id: 'LiveGap' });

/** The data of `end`. */
export const LiveEnd = z
  .object({
    reason: z.enum(['SESSION_ENDED', 'RIGHTS_CHANGED', 'SERVER_CLOSING']),
    say: z.string(),
  })
  .meta({ id: 'LiveEnd' });

export const GAP: z.output<typeof LiveGap> = {
  say: 'What came after this cursor is not kept any more: read again what you show, and go on from here.',
};

export const ENDINGS: Record<Exclude<Ending, 'LEFT'>, string> = {
  SESSION_ENDED: 'The login, token or key has ended: log in again.',
  RIGHTS_CHANGED: 'The rights of the caller have changed: ask again, with the cursor.',
  SERVER_CLOSING: 'This process of the platform stops: ask again, with the cursor.',
};

export const NAMES: Record<FeedKind, Exclude<Subscribed, 'value'>> = {
  alarm: 'alarm',
  action: 'action',
  command: 'receipt',
  device: 'device',
};

export const liveValueOf = (value: LatestValue): z.output<typeof LiveValue> =>
  LiveValue.parse(value);

export const liveEventOf = ({
  kind,
  what,
  ref,
  deviceId,
  deviceName,
  actionId,
  occurTime,
  say,
  done,
}: EventPage['events'][number]): z.output<typeof LiveEvent> => ({
  kind,
  what,
  ref,
  deviceId: deviceId === '0' ? null : deviceId,
  deviceName,
  actionId,
  occurTime: occurTime.toISOString(),
  say,
  ...(done !== undefined && { done }),
});

/** An event as it is on the wire; `id` is where a reader goes on from. */
export const framed = (event: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
