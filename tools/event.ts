import { z } from 'zod';

import { nameOf } from '../src/core/flag.ts';
import { Id } from '../src/core/id.ts';
import * as event from '../src/manager/definition/event.ts';
import { defineTool, READS } from './define.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './page.ts';
import { Shown } from './text.ts';

const Event = z.object({
  eventId: z.string(),
  eventName: Shown(),
  eventCode: Shown(),
  profileId: z.string(),
  type: z.string(),
  level: z.string(),
});

const show = (row: event.Event) => ({
  eventId: row.id,
  eventName: row.eventName,
  eventCode: row.eventCode,
  profileId: row.profileId,
  type: nameOf(event.EventType, row.eventTypeFlag),
  level: nameOf(event.EventLevel, row.eventLevelFlag),
});

export const eventTools = [
  defineTool({
    name: 'lookupEventById',
    title: 'Look up an event definition',
    domain: 'Event',
    description:
      'Returns one event definition of your tenant: something devices of a profile can report, with its type and level.',
    permission: 'svc-center-manager:event:get',
    scope: 'svc:read',
    input: z.strictObject({ eventId: Id.describe('Event id') }),
    output: Event.extend({ enabled: z.boolean(), remark: Shown(200) }),
    annotations: READS,
    async run(app, caller, { eventId }) {
      const row = await event.byId(app, caller, { id: eventId });
      return { ...show(row), enabled: row.enableFlag === 'ENABLE', remark: row.remark };
    },
  }),
  defineTool({
    name: 'searchEvents',
    title: 'Search event definitions',
    domain: 'Event',
    description:
      'Finds event definitions of your tenant by part of the name, by profile, or those of one device, newest first.',
    permission: 'svc-center-manager:event:list',
    scope: 'svc:read',
    input: z.strictObject({
      eventName: partOf('name'),
      profileId: Id.optional().describe('Only of this profile'),
      deviceId: Id.optional().describe('Only what this device can report'),
      ...paging,
    }),
    output: pageOf(Event),
    annotations: READS,
    async run(app, caller, { cursor, limit, ...filters }) {
      const page = pageRequest({ cursor, limit });
      return shownPage(await event.page(app, caller, { ...filters, page }), show);
    },
  }),
];
