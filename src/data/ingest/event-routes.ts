import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid, pageOfAnswers } from '../../kernel/entity/answer.ts';
import * as eventHistory from './event-history.ts';
import * as eventReport from './event-report.ts';

/** Endpoints for events of devices (docs/specification/events.md). */
export const routes: readonly Route[] = [
  post(
    '/event_history/report',
    {
      needs: 'event_history:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Reports an event for a device; answers the record id',
      input: eventReport.ReportEvent,
      output: AnswerUuid,
    },
    eventReport.report,
  ),
  get(
    '/event_history/get_by_record_id',
    {
      needs: 'event_history:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers one reported event',
      input: eventHistory.ByRecordId,
      output: eventHistory.EventRecord.schema,
    },
    eventHistory.byRecordId,
  ),
  post(
    '/event_history/list',
    {
      needs: 'event_history:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers reported events, newest first',
      input: eventHistory.EventRecordQuery,
      output: pageOfAnswers(eventHistory.EventRecord.schema),
    },
    eventHistory.page,
  ),
  post(
    '/event_history/acknowledge',
    {
      needs: 'event_history:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Acknowledges a reported event; the first who did stays',
      reason: 'docs/specification/events.md: what was reported can be acknowledged',
      input: eventHistory.ByRecordId,
      output: eventHistory.EventRecord.schema,
    },
    eventHistory.acknowledge,
  ),
];
