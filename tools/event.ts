import { z } from 'zod';

import { demand } from '../src/auth/permission/permission.ts';
import * as eventHistory from '../src/data/ingest/event-history.ts';
import type { Caller } from '../src/kernel/app/app.ts';
import { BadRequest } from '../src/kernel/errors.ts';
import { nameOf } from '../src/kernel/input/flag.ts';
import type { Page } from '../src/kernel/input/page.ts';
import { inZone } from '../src/kernel/sentence/time-zone.ts';
import { EventLevel, EventType } from '../src/manager/entity/value-type.ts';
import { isGiven } from '../src/manager/find/code.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import * as event from '../src/manager/profile/event.ts';
import { defineTool, READS } from './shape/define.ts';
import { IdOrUuid, isUuid } from './shape/id.ts';
import { pageOf, paging, partOf, visiblePage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Reported, Visible } from './shape/text.ts';

const Kind = z.enum(['defined', 'reported']);
/** Reported events belong to the data center and need its permission as well. */
const REPORTED = 'svc-center-data:event_history';

/** An event that devices of a profile can report. */
const Defined = z.object({
  eventId: z.string(),
  eventName: Visible(),
  eventCode: Visible().optional(),
  profileId: z.string(),
  type: z.string(),
  level: z.string(),
});

/** One report of a device. */
const Report = z.object({
  recordId: z.string(),
  deviceId: z.string(),
  deviceName: Visible().optional(),
  eventId: z.string().describe('0: no such definition'),
  eventName: Visible().optional(),
  eventCode: Visible().optional(),
  type: z.string(),
  level: z.string(),
  acknowledged: z.boolean(),
  occurTime: z.string(),
  message: Reported(80),
});

/** Either, in one list. */
const Listed = Defined.partial()
  .extend(Report.partial().shape)
  .required({ type: true, level: true });

const showDefined = (row: event.Event) => ({
  eventId: row.id,
  eventName: row.eventName,
  ...(isGiven(row.eventCode) && { eventCode: row.eventCode }),
  profileId: row.profileId,
  ...kindOf(row),
});

const showReported = (row: eventHistory.NamedRecord, { timezone }: Caller) => ({
  recordId: row.recordId,
  deviceId: row.deviceId,
  ...(row.deviceName !== null && { deviceName: row.deviceName }),
  eventId: row.eventId,
  ...(row.eventName !== null && { eventName: row.eventName }),
  ...(isGiven(row.eventCode) && { eventCode: row.eventCode }),
  ...kindOf(row),
  acknowledged: row.acknowledgeFlag === eventHistory.AcknowledgeFlag.YES,
  occurTime: inZone(row.occurTime, timezone),
  message: row.message,
});

const kindOf = (row: { eventTypeFlag: number; eventLevelFlag: number }) => ({
  type: nameOf(EventType, row.eventTypeFlag),
  level: nameOf(EventLevel, row.eventLevelFlag),
});

export const eventTools = [
  defineTool({
    name: 'lookupEventById',
    title: 'Look up an event',
    domain: 'Event',
    listed: 'direct',
    description:
      'Returns what a device reported (record UUID): level, message, parameters, whether a human acknowledged it. For a numeric id, the definition of an event of a profile.',
    permission: 'svc-center-manager:event:get',
    scope: 'svc:read',
    input: z.strictObject({
      eventId: IdOrUuid.describe('UUID of a report, or id of a definition'),
    }),
    output: z.object({
      kind: Kind,
      defined: Defined.extend({ enabled: z.boolean(), remark: Visible(200).optional() }).optional(),
      reported: Report.extend({
        message: Reported(200),
        params: Visible(300).describe('JSON, cut when long'),
        acknowledgeTime: z.string().optional(),
      }).optional(),
    }),
    annotations: READS,
    async run(app, caller, { eventId }) {
      if (isUuid(eventId)) {
        demand(caller, `${REPORTED}:get`);
        const row = await eventHistory.namedById(app, caller, { recordId: eventId });
        const { paramValues: params, acknowledgeTime } = row;
        return {
          kind: 'reported' as const,
          reported: {
            ...showReported(row, caller),
            params,
            ...(acknowledgeTime && { acknowledgeTime: inZone(acknowledgeTime, caller.timezone) }),
          },
        };
      }
      const row = await event.byId(app, caller, { id: eventId });
      const enabled = row.enableFlag === 'ENABLE';
      return {
        kind: 'defined' as const,
        defined: { ...showDefined(row), enabled, ...(row.remark && { remark: row.remark }) },
      };
    },
  }),
  defineTool({
    name: 'searchEvents',
    title: 'Search events',
    domain: 'Event',
    listed: 'direct',
    description:
      'Lists events that profiles define or, with kind "reported", what devices reported, newest first. Alarms are no events: searchAlarms.',
    permission: 'svc-center-manager:event:list',
    scope: 'svc:read',
    input: z.strictObject({
      kind: Kind.optional().describe('Left out, defined or by the filters'),
      eventName: partOf('name'),
      profileId: Ref.optional().describe('Defined by it: id or name'),
      deviceId: Ref.optional().describe('Id or name'),
      acknowledged: z.boolean().optional().describe('Only reports that are, or are not'),
      ...paging,
    }),
    output: pageOf(Listed),
    annotations: READS,
    run: (app, caller, { cursor, limit, maxTokens, kind, acknowledged, eventName, ...refs }) =>
      withNames(app, caller, async (find) => {
        const paged = { cursor, limit, maxTokens };
        const areOfDefinitions = eventName !== undefined || refs.profileId !== undefined;
        const areOfReports = acknowledged !== undefined;
        if (areOfDefinitions && (kind === 'reported' || areOfReports)) {
          throw new BadRequest('profileId and eventName filter definitions, not reports');
        }
        if (kind === 'defined' && areOfReports) {
          throw new BadRequest('acknowledged filters reports, not definitions');
        }
        const ids = await find.ids(refs);
        if (kind !== 'reported' && !areOfReports) {
          const read = (page: Page) => event.page(app, caller, { ...ids, eventName, page });
          return visiblePage(paged, Listed, read, showDefined);
        }
        demand(caller, `${REPORTED}:list`);
        const { NO, YES } = eventHistory.AcknowledgeFlag;
        const acknowledgeFlag = areOfReports ? (acknowledged ? YES : NO) : undefined;
        const wanted = { deviceId: ids.deviceId, acknowledgeFlag };
        const read = (page: Page) => eventHistory.namedPage(app, caller, { ...wanted, page });
        return visiblePage(paged, Listed, read, (row) => showReported(row, caller));
      }),
  }),
];
