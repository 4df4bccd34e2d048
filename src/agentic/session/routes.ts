import { z } from 'zod';

import { Done, pageOfAnswers } from '../../entity/answer.ts';
import { get, post, type Route } from '../../route.ts';
import * as message from './message.ts';
import * as removal from './removal.ts';
import * as session from './session.ts';

/** A user's conversations and their messages. */
export const routes: readonly Route[] = [
  post(
    '/session/list',
    {
      needs: 'session:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Own conversations, the latest first',
      input: session.ListSessions,
      output: pageOfAnswers(session.Session.schema),
    },
    session.list,
  ),
  get(
    '/session/get_by_conversation_id',
    {
      needs: 'session:get',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'One own conversation',
      input: session.ByConversationId,
      output: session.Session.schema,
    },
    session.byConversationId,
  ),
  post(
    '/session/update',
    {
      needs: 'session:update',
      scope: 'svc:chat',
      risk: 'update',
      summary: 'Rename a conversation or change its preferences',
      input: session.UpdateSession,
      output: session.Session.schema,
    },
    session.update,
  ),
  post(
    '/session/delete',
    {
      needs: 'session:delete',
      scope: 'svc:chat',
      risk: 'remove',
      summary: 'Delete a conversation with its messages, memory and attachments',
      input: session.ByConversationId,
      output: Done,
    },
    removal.remove,
  ),
  get(
    '/message/list',
    {
      needs: 'message:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Messages of an own conversation',
      input: session.ByConversationId,
      output: z.array(message.Message.schema),
    },
    message.list,
  ),
];
