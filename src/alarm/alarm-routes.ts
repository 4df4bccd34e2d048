import { z } from 'zod';

import { get, post, type Route } from '../kernel/app/route.ts';
import { AnswerId, Done, pageOfAnswers } from '../kernel/entity/answer.ts';
import * as alert from './alarm/alert.ts';
import { assign, AssignAlarm } from './alarm/assign.ts';
import { comment, CommentAlarm } from './alarm/comment.ts';
import { AlarmReportAnswer } from './explain/report-answer.ts';
import { ByAlarmId, reported } from './explain/reported.ts';
import { FoundAlarmsAnswer } from './search/answer.ts';
import {
  ConfirmAll,
  confirmAll,
  ConfirmedAll,
  ToConfirm,
  toConfirm,
  ToConfirmAnswer,
} from './search/confirm-all.ts';
import { AlarmSearch, listed } from './search/listed.ts';
import { silence, SilenceAlarm, unsilence, UnsilenceAlarm } from './watch/silence.ts';

const decision = { needs: 'alarm:confirm', scope: 'interactive', risk: 'update' } as const;

/** Endpoints for alarms and their confirmation (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  post(
    '/dashboard/alert/page',
    {
      needs: 'dashboard:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers alarms of drivers, devices or points, newest first',
      input: alert.AlertQuery,
      output: pageOfAnswers(alert.Alert.schema),
    },
    alert.page,
  ),
  post(
    '/dashboard/alert/search',
    {
      needs: 'dashboard:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers alarms by urgency, one for each rule and place, with names',
      reason: 'Alarms by urgency, with names, for people',
      input: AlarmSearch,
      output: FoundAlarmsAnswer,
    },
    listed,
  ),
  get(
    '/dashboard/alert/report',
    {
      needs: 'dashboard:list',
      scope: 'svc:read',
      risk: 'read',
      summary:
        'Explains one alarm: rule and value when it fired, its course, which channels got it',
      reason: 'One alarm explained, for people',
      input: ByAlarmId,
      output: AlarmReportAnswer,
    },
    reported,
  ),
  post(
    '/dashboard/alert/confirm',
    {
      ...decision,
      summary: 'Confirms an alarm; one that has recovered is closed',
      input: alert.ConfirmAlert,
      output: Done,
    },
    alert.confirm,
  ),
  post(
    '/dashboard/alert/unconfirm',
    {
      ...decision,
      summary: 'Takes the confirmation of an alarm back',
      input: alert.UnconfirmAlert,
      output: Done,
    },
    alert.unconfirm,
  ),
  post(
    '/dashboard/alert/silence',
    {
      ...decision,
      summary: 'Holds the notifications of an alarm and of its later episodes back until a time',
      reason: 'docs/specification/notifications.md, Silences',
      input: SilenceAlarm,
      output: Done,
    },
    silence,
  ),
  post(
    '/dashboard/alert/unsilence',
    {
      ...decision,
      summary: 'Ends a silence; an alarm that fires is notified then',
      reason: 'docs/specification/notifications.md, Silences',
      input: UnsilenceAlarm,
      output: Done,
    },
    unsilence,
  ),
  post(
    '/dashboard/alert/comment',
    {
      ...decision,
      summary: 'Adds a comment to an alarm; answers its id',
      reason: 'docs/specification/alarms.md, Looking after alarms',
      input: CommentAlarm,
      output: AnswerId,
    },
    comment,
  ),
  post(
    '/dashboard/alert/assign',
    {
      ...decision,
      summary: 'Assigns an alarm to a person of the tenant, or to no person',
      reason: 'docs/specification/alarms.md, Looking after alarms',
      input: AssignAlarm,
      output: Done,
    },
    assign,
  ),
  post(
    '/dashboard/alert/bulk_confirm',
    {
      ...decision,
      summary: 'Confirms alarms, or takes their confirmations back; answers how many',
      input: alert.BulkConfirm,
      output: z.number().int(),
    },
    alert.bulkConfirm,
  ),
  post(
    '/dashboard/alert/to_confirm',
    {
      needs: 'dashboard:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Counts the unconfirmed alarms that are named or that a search finds',
      reason: 'docs/specification/alarms.md, Confirming many',
      input: ToConfirm,
      output: ToConfirmAnswer,
    },
    toConfirm,
  ),
  post(
    '/dashboard/alert/confirm_all',
    {
      ...decision,
      summary: 'Confirms alarms that are named, that a search finds, or that one cause explains',
      reason: 'docs/specification/alarms.md, Confirming many',
      input: ConfirmAll,
      output: ConfirmedAll,
    },
    confirmAll,
  ),
];
