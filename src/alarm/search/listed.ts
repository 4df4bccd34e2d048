import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import type { FoundAlarmsAnswer } from './answer.ts';
import { ListedAlarm } from './answer.ts';
import { PositionText } from './position.ts';
import { search } from './search.ts';

const MAX_LISTED = 100;

/** What a list of alarms is narrowed by. */
export const narrowing = {
  state: z
    .enum(['FIRING', 'RECOVERED', 'CLOSED', 'unconfirmed'])
    .describe('Without one: all that fire or wait for a confirmation')
    .optional(),
  level: z.enum(['P0', 'P1', 'P2', 'P3']).optional(),
  deviceId: Id.optional(),
  groupId: Id.describe('Of the devices in this group').optional(),
  assigneeId: Id.describe('Assigned to this principal').optional(),
  silenced: z.literal(true).describe('Only silenced ones').optional(),
  query: Text(64)
    .describe('Part of the name of a device, point or rule, or of the message')
    .optional(),
};

export const AlarmSearch = input({
  ...narrowing,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((limit) => Math.min(limit, MAX_LISTED)),
  orderBy: z
    .enum(['-urgency', '-since'])
    .describe('What fires first, by level; or newest first, whether it fires or not')
    .optional(),
  after: PositionText.describe('`next` of the page before').optional(),
});

/** Alarms for people: as `search`, without where a list goes on in the middle. */
export const listed: Operation<
  z.output<typeof AlarmSearch>,
  z.output<typeof FoundAlarmsAnswer>
> = async (app, caller, { orderBy, ...given }) => {
  const newestFirst = orderBy === '-since';
  const found = await search(app, caller, { ...given, newestFirst });
  return { ...found, alarms: found.alarms.map((alarm) => ListedAlarm.parse(alarm)) };
};
