import { z } from 'zod';

import { Download, get, post, type Route } from '../../kernel/app/route.ts';
import { Done, pageOfAnswers } from '../../kernel/entity/answer.ts';
import * as exporting from '../session/export.ts';
import * as message from '../session/message.ts';
import * as search from '../session/search.ts';
import * as session from '../session/session.ts';
import * as branch from './branch/branch.ts';
import * as origin from './origin.ts';
import * as removal from './removal.ts';
import * as turn from './turn-id.ts';

/** A user's conversations and their messages, and the web pages elsewhere that may chat. */
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
    '/session/search',
    {
      needs: 'session:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Own conversations by words of their messages and titles, the latest first',
      reason: 'docs/specification/assistant.md, Branches of a conversation',
      input: search.SearchSessions,
      output: z.array(search.FoundSession.schema),
    },
    search.search,
  ),
  {
    ...get(
      '/session/export',
      {
        needs: 'session:get',
        scope: 'svc:chat',
        risk: 'read',
        summary: 'An own conversation as a file: Markdown, or JSON with all branches',
        reason: 'docs/specification/assistant.md, Branches of a conversation',
        input: exporting.ExportSession,
        output: Download,
      },
      exporting.exported,
    ),
    download: true,
  },
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
      summary: 'Messages of an own conversation, of the branch that goes on',
      input: session.ByConversationId,
      output: z.array(message.Message.schema),
    },
    message.list,
  ),
  post(
    '/session/branch/select',
    {
      needs: 'session:update',
      scope: 'svc:chat',
      risk: 'update',
      summary: 'Go on with the branch through this message',
      reason: 'docs/specification/assistant.md, Branches of a conversation',
      input: branch.SelectBranch,
      output: Done,
    },
    branch.select,
  ),
  post(
    '/session/turn/stop',
    {
      needs: 'session:update',
      scope: 'svc:chat',
      risk: 'update',
      summary: 'End an own resumable turn; what there is of its answer is kept',
      reason: 'docs/specification/assistant.md, Events of a turn',
      input: turn.ByTurn,
      output: Done,
    },
    turn.stop,
  ),
];

/** Web pages elsewhere that may use the chat. */
export const origins: readonly Route[] = [
  get(
    '/origin/get',
    {
      needs: 'provider:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Origins of web pages that may call the chat of the tenant from a browser',
      reason: 'docs/specification/assistant.md, Web pages elsewhere',
      input: z.unknown(),
      output: origin.ChatOrigins,
    },
    origin.get,
  ),
  post(
    '/origin/set',
    {
      needs: 'provider:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Replace the origins of web pages that may call the chat; interactive login only',
      reason: 'docs/specification/assistant.md, Web pages elsewhere',
      input: origin.SetOrigins,
      output: origin.ChatOrigins,
    },
    origin.set,
  ),
];
