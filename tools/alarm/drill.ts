import { z } from 'zod';

import { drill } from '../../src/alarm/deliver/drill.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { momentOf, Written } from '../given/moment.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Visible } from '../shape/text.ts';

/** Of the answer, so that it stays short. */
const MOST = 40;

export const drillTool = defineTool({
  name: 'drillNotification',
  title: 'Drill a notification',
  domain: 'Alarm',
  description:
    'Answers which channels would get an alarm of a rule, or of a device that is away, at a time: when, over what, which next; nothing is sent.',
  permission: 'svc-center-data:rule:list',
  scope: 'svc:read',
  input: z.strictObject({
    ruleId: Id.optional().describe('The rule that fires'),
    deviceId: Ref.optional().describe('Or the device that is away'),
    at: Written.meta({ examples: ['2026-11-29T03:00:00Z'] }).describe('ISO-8601, plant time'),
    hours: z.number().min(1).max(72).default(12).describe('It goes on so long, unconfirmed'),
    failing: z.array(Id).max(50).default([]).describe('Ids of channels that cannot be reached'),
  }),
  output: z.object({
    level: z.string(),
    messages: z.array(
      z.object({
        at: z.string(),
        taken: z.string().optional(),
        channel: Visible(),
        kind: z.string(),
        note: Phrase(160).optional(),
        waited: z.string().optional(),
      }),
    ),
    channels: z.array(
      z.object({
        channelId: z.string(),
        channel: Visible(),
        type: z.string(),
        policy: Visible(),
        knows: z.boolean(),
        waits: Phrase(160).optional(),
        success: z.number().optional(),
        medianMs: z.number().optional(),
      }),
    ),
  }),
  annotations: READS,
  async run(app, caller, given) {
    const now = app.clock.now();
    const { level, messages, channels } = await withNames(app, caller, async (find) =>
      drill(app, caller, {
        ...given,
        deviceId: given.deviceId && (await find.one('device', given.deviceId)),
        at: momentOf(given.at, { zone: caller.timezone, now, field: 'at' }),
      }),
    );
    const at = (time: string): string => inZone(time, caller.timezone);
    return {
      level,
      messages: messages
        .slice(0, MOST)
        .map(({ channelName, taken, note, kind, waited, ...message }) => ({
          at: at(message.at),
          taken: taken === null ? undefined : at(taken),
          channel: channelName,
          kind,
          note: note || undefined,
          waited: waited || undefined,
        })),
      channels: channels.slice(0, MOST).map((channel) => ({
        channelId: channel.channelId,
        channel: channel.channelName,
        type: channel.channelType,
        policy: channel.policyName,
        knows: channel.knows,
        waits: channel.waits || undefined,
        success: channel.success ?? undefined,
        medianMs: channel.medianMs ?? undefined,
      })),
    };
  },
});
