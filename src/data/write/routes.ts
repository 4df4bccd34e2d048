import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid, pageOfAnswers } from '../../kernel/entity/answer.ts';
import * as receipt from '../command/receipt.ts';
import { Receipt } from '../command/record.ts';
import * as pointCommand from './point-command.ts';

const CommandId = AnswerUuid.describe('The command id');

/** Reads and writes of points, and what became of them. */
export const routes: readonly Route[] = [
  post(
    '/point_command/read',
    {
      needs: 'point_command:read',
      scope: 'svc:read-device',
      risk: 'ask',
      summary: 'Asks a device for a value; answers the command id',
      input: pointCommand.ReadCommand,
      output: CommandId,
    },
    pointCommand.read,
  ),
  post(
    '/point_command/write',
    {
      needs: 'point_command:write',
      scope: 'interactive',
      risk: 'device',
      summary: 'Writes a value to a device; answers the command id',
      input: pointCommand.WriteCommand,
      output: CommandId,
    },
    pointCommand.write,
  ),
  get(
    '/point_command_history/get_by_command_id',
    {
      needs: 'point_command_history:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what became of a command',
      input: receipt.ByCommandId,
      output: Receipt,
    },
    receipt.byCommandId,
  ),
  post(
    '/point_command_history/list',
    {
      needs: 'point_command_history:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers issued commands, newest first',
      input: receipt.ReceiptQuery,
      output: pageOfAnswers(Receipt),
    },
    receipt.page,
  ),
];
