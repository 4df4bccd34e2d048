import { z } from 'zod';

import { demand } from '../src/auth/rights/permission.ts';
import { BadRequest } from '../src/core/errors.ts';
import { nameOf } from '../src/core/input/flag.ts';
import { Id } from '../src/core/input/id.ts';
import * as eventHistory from '../src/data/event/history.ts';
import * as event from '../src/manager/profile/event.ts';
import { defineTool, READS } from './define.ts';
import { IdOrUuid, isUuid } from './shape/id.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './shape/page.ts';
import { Shown } from './shape/text.ts';

const Kind = z.enum(['defined', 'reported']);
/** Reported events belong to the data center and need its permission as well. */
const REPORTED = 'svc-center-data:event_history';

/** An event that devices of a profile can report. */
const Defined = z.object({
  eventId: z.string(),
  eventName: Shown(),
  eventCode: Shown(),
  profileId: z.string(),
  type: z.string(),
  level: z.string(),
});

/** One report of a device. */
const Reported = z.object({
  recordId: z.string(),
  deviceId: z.string(),
  eventId: z.string().describe('0: no such definition'),
  eventCode: Shown(),
  type: z.string(),
  level: z.string(),
  acknowledged: z.boolean(),
  occurTime: z.string(),
  message: Shown(80),
});

const showDefined = (row: event.Event) => ({
  eventId: row.id,
  eventName: row.eventName,
  eventCode: row.eventCode,
  profileId: row.profileId,
  ...kindOf(row),
});

const showReported = (row: eventHistory.EventRecord) => ({
  recordId: row.recordId,
  deviceId: row.deviceId,
  eventId: row.eventId,
  eventCode: row.eventCode,
  ...kindOf(row),
  acknowledged: row.acknowledgeFlag === eventHistory.AcknowledgeFlag.YES,
  occurTime: row.occurTime,
  message: row.message,
});

const kindOf = (row: { eventTypeFlag: number; eventLevelFlag: number }) => ({
  type: nameOf(event.EventType, row.eventTypeFlag),
  level: nameOf(event.EventLevel, row.eventLevelFlag),
});

export const eventTools = [
  defineTool({
    name: 'lookupEventById',
    title: 'Look up an event',
    domain: 'Event',
    description:
      'Returns what a device reported (record UUID): level, message, parameters, whether a human acknowledged it. For a numeric id, the definition of an event of a profile.',
    permission: 'svc-center-manager:event:get',
    scope: 'svc:read',
    input: z.strictObject({
      eventId: IdOrUuid.describe('UUID of a report, or id of a definition'),
    }),
    output: z.object({
      kind: Kind,
      defined: Defined.extend({ enabled: z.boolean(), remark: Shown(200) }).optional(),
      reported: Reported.extend({
        message: Shown(200),
        params: Shown(300).describe('JSON, cut when long'),
        acknowledgeTime: z.string().nullable(),
      }).optional(),
    }),
    annotations: READS,
    async run(app, caller, { eventId }) {
      if (isUuid(eventId)) {
        demand(caller, `${REPORTED}:get`);
        const row = await eventHistory.byRecordId(app, caller, { recordId: eventId });
        const { paramValues: params, acknowledgeTime } = row;
        return {
          kind: 'reported' as const,
          reported: { ...showReported(row), params, acknowledgeTime },
        };
      }
      const row = await event.byId(app, caller, { id: eventId });
      const enabled = row.enableFlag === 'ENABLE';
      return {
        kind: 'defined' as const,
        defined: { ...showDefined(row), enabled, remark: row.remark },
      };
    },
  }),
  defineTool({
    name: 'searchEvents',
    title: 'Search events',
    domain: 'Event',
    description:
      'Lists events that profiles define or, with kind "reported", what devices reported, newest first. Alarms are no events: read the resource svc://alarm/active.',
    permission: 'svc-center-manager:event:list',
    scope: 'svc:read',
    input: z.strictObject({
      kind: Kind.optional().describe('Default: by the filters, else defined'),
      eventName: partOf('name'),
      profileId: Id.optional().describe('Defined by this profile'),
      deviceId: Id.optional().describe('Of this device'),
      acknowledged: z.boolean().optional().describe('Only reports that are, or are not'),
      ...paging,
    }),
    output: pageOf(
      Defined.partial()
        .extend(Reported.partial().shape)
        .required({ type: true, level: true, eventCode: true }),
    ),
    annotations: READS,
    async run(app, caller, { cursor, limit, kind, deviceId, acknowledged, ...filters }) {
      const page = pageRequest({ cursor, limit });
      const areOfDefinitions = Object.values(filters).some((filter) => filter !== undefined);
      const areOfReports = acknowledged !== undefined;
      if (areOfDefinitions && (kind === 'reported' || areOfReports)) {
        throw new BadRequest('profileId and eventName filter definitions, not reports');
      }
      if (kind === 'defined' && areOfReports) {
        throw new BadRequest('acknowledged filters reports, not definitions');
      }
      if (kind !== 'reported' && !areOfReports) {
        const wanted = { ...filters, deviceId, page };
        return shownPage(await event.page(app, caller, wanted), showDefined);
      }
      demand(caller, `${REPORTED}:list`);
      const { NO, YES } = eventHistory.AcknowledgeFlag;
      const acknowledgeFlag = areOfReports ? (acknowledged ? YES : NO) : undefined;
      const wanted = { deviceId, acknowledgeFlag, page };
      return shownPage(await eventHistory.page(app, caller, wanted), showReported);
    },
  }),
];
