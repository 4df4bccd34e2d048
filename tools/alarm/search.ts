import { z } from 'zod';

import type { Notified } from '../../src/alarm/alarm/notifications.ts';
import { PositionText } from '../../src/alarm/search/position.ts';
import * as alarms from '../../src/alarm/search/search.ts';
import { allows } from '../../src/auth/permission/permission.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { oneOf } from '../given/one-of.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Visible } from '../shape/text.ts';
import { alarmsView } from '../shape/view.ts';
import { NOTIFICATIONS, summarized, summary } from './summary.ts';

/** More than the longest answer holds. */
const MAX_FOUND = 90;

const DEVICES = 'svc-center-manager:device:list';

const Row = z.object({
  ...summary,
  recovered: z.string().optional(),
  message: Phrase(160).optional(),
  occurrences: z.int().describe('100: or more'),
  notified: z
    .array(z.object({ channel: Visible(), ok: z.boolean(), why: Phrase(80).optional() }))
    .optional(),
});

const shortly = ({ channel, ok, why }: Notified) => (ok ? { channel, ok } : { channel, ok, why });

const show = (caller: Caller, alarm: alarms.FoundAlarm): z.input<typeof Row> => ({
  ...summarized(caller, alarm),
  recovered: alarm.recovered === null ? undefined : inZone(alarm.recovered, caller.timezone),
  occurrences: alarm.occurrences,
  notified:
    allows(caller, NOTIFICATIONS) && alarm.notified.length > 0
      ? alarm.notified.map(shortly)
      : undefined,
});

const State = oneOf(['FIRING', 'RECOVERED', 'CLOSED', 'unconfirmed']);
const Level = oneOf(['P0', 'P1', 'P2', 'P3']);

export const searchAlarms = defineTool({
  name: 'searchAlarms',
  title: 'Search alarms',
  domain: 'Alarm',
  listed: 'direct',
  description:
    'Lists alarms, one row per rule and place: firing first, then unconfirmed. Closed ones by state or time.',
  permission: 'svc-center-data:dashboard:list',
  scope: 'svc:read',
  input: z.strictObject({
    state: State.optional().describe('FIRING, RECOVERED, CLOSED, unconfirmed'),
    level: Level.optional().describe('P0 to P3'),
    deviceId: Ref.optional().describe('Id or name'),
    groupId: Ref.optional().describe('Id or name'),
    since: Since.optional().describe('ISO-8601 or hours ago'),
    until: Since.optional().describe('Raised before'),
    query: Text(64).optional().describe('Part of a name'),
    cursor: PositionText.optional().describe('nextCursor'),
    ...maxTokens,
  }),
  output: z.object({
    counts: z.object({ firing: z.int(), recoveredUnconfirmed: z.int() }),
    returned: z.int().optional(),
    nextCursor: z.string().nullable(),
    records: z.array(Row),
    /** Where words find nothing: devices whose names are near. */
    near: z.array(Visible()).optional(),
  }),
  annotations: READS,
  view: alarmsView,
  async run(app, caller, { cursor, since, until, deviceId, groupId, maxTokens: most, ...filters }) {
    const now = app.clock.now();
    const { query } = filters;
    const found = await withNames(app, caller, async (find) => {
      const page = await alarms.search(app, caller, {
        ...filters,
        ...(await find.ids({ deviceId, groupId })),
        since: momentOf(since, { zone: caller.timezone, now }),
        until: momentOf(until, { zone: caller.timezone, now }),
        after: cursor,
        limit: MAX_FOUND,
      });
      const isNone = page.alarms.length === 0 && cursor === undefined && query !== undefined;
      return {
        ...page,
        near: isNone && allows(caller, DEVICES) ? await find.nearDevices(query) : [],
      };
    });
    const { rows, left } = cutTo(
      found.alarms.map((row) => show(caller, row)),
      most,
    );
    return {
      counts: found.counts,
      returned: rows.length,
      nextCursor: left > 0 ? (found.alarms[rows.length - 1]?.position ?? null) : found.next,
      records: rows,
      ...(found.near.length > 0 && { near: found.near }),
    };
  },
});
