import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid, pageOfAnswers } from '../../kernel/entity/answer.ts';
import * as commandHistory from './call-history.ts';
import * as commandCall from './call.ts';

/** Calls of custom commands, and what became of them. */
export const routes: readonly Route[] = [
  post(
    '/command_history/call',
    {
      needs: 'command_history:add',
      scope: 'interactive',
      risk: 'device',
      summary: 'Calls a custom command of a device; answers the record id',
      input: commandCall.CallCommand,
      output: AnswerUuid.describe('The record id'),
    },
    commandCall.call,
  ),
  get(
    '/command_history/get_by_record_id',
    {
      needs: 'command_history:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what became of a call',
      input: commandHistory.ByRecordId,
      output: commandHistory.CommandRecord.schema,
    },
    commandHistory.byRecordId,
  ),
  post(
    '/command_history/list',
    {
      needs: 'command_history:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers calls of custom commands, newest first',
      input: commandHistory.CommandRecordQuery,
      output: pageOfAnswers(commandHistory.CommandRecord.schema),
    },
    commandHistory.page,
  ),
];
