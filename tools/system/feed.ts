import { z } from 'zod';

import { waitForEvents } from '../../src/agentic/handover/wait.ts';
import { Cursor, cursorAt, FEED_KINDS } from '../../src/kernel/feed/change.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { defineTool, READS } from '../shape/define.ts';
import { reporting, waitSeconds } from '../shape/progress.ts';
import { Ref } from '../shape/ref.ts';
import { Sentence, Visible } from '../shape/text.ts';

const MAX_EVENTS = 20;
/** Without a cursor there is nothing to go on from: the first answer gives one. */
const waitSOf = (cursor: string | undefined): number => (cursor === undefined ? 0 : 30);

const Event = z.object({
  at: z.string(),
  kind: z.enum(FEED_KINDS),
  what: z.string(),
  say: Sentence,
  done: z.boolean().optional(),
  alarmId: z.string().optional(),
  actionId: z.string().optional(),
  commandId: z.string().optional(),
  deviceId: z.string().optional(),
  deviceName: Visible().optional(),
});

export const feedTools = [
  defineTool({
    name: 'waitForEvents',
    title: 'Wait for events',
    domain: 'System',
    listed: 'direct',
    description:
      'Waits until something happens after the cursor: alarms, proposals, ends of commands, devices going on- or offline. No cursor: from now on.',
    permission: 'svc-center-manager:device:list',
    scope: 'svc:read',
    input: z.strictObject({
      cursor: Cursor.optional().describe('nextCursor of the last answer: nothing is missed'),
      kinds: z.array(z.enum(FEED_KINDS)).min(1).max(4).optional().describe('Only these'),
      deviceId: Ref.optional().describe('Only of it: id or name'),
      waitS: waitSeconds('30, or 0 without a cursor').optional(),
    }),
    output: z.object({
      returned: z.int().optional(),
      events: z.array(Event),
      nextCursor: z.string(),
    }),
    annotations: READS,
    async run(app, caller, { cursor, kinds, deviceId, waitS = waitSOf(cursor) }, waiting) {
      const atMostMs = waitS * 1_000;
      const { events, upTo } = await withNames(app, caller, async (find) => {
        const asked = {
          after: cursor,
          kinds,
          deviceId: deviceId && (await find.one('device', deviceId)),
          limit: MAX_EVENTS,
          waitMs: atMostMs,
          signal: waiting?.signal,
        };
        const about = 'Waiting for events';
        return reporting(app, waiting, { atMostMs, about }, (say) =>
          waitForEvents(app, caller, {
            ...asked,
            // Who gives the call up goes on from there.
            atPlace: (place) => say(`${about} after cursor ${cursorAt(place)}`),
          }),
        );
      });
      const shown = events.map(({ kind, what, ref, say, done, ...event }) => ({
        at: inZone(event.occurTime, caller.timezone),
        kind,
        what,
        say,
        ...(done !== undefined && { done }),
        ...(event.actionId !== null && { actionId: event.actionId }),
        ...(kind === 'alarm' && { alarmId: ref }),
        ...(kind === 'command' && { commandId: ref }),
        ...(event.deviceId !== '0' && { deviceId: event.deviceId }),
        ...(event.deviceName !== null && { deviceName: event.deviceName }),
      }));
      return { returned: shown.length, events: shown, nextCursor: cursorAt(upTo) };
    },
  }),
];
