import { get, post, type Route } from '../route.ts';
import * as action from './action/action.ts';
import * as decision from './action/decision.ts';
import * as withdrawal from './action/withdraw.ts';
import * as attachment from './attachment/attachment.ts';
import * as message from './message.ts';
import { providerRoutes } from './provider/routes.ts';
import * as removal from './session-removal.ts';
import * as session from './session.ts';

/** `/api/v3/agentic`; chat completions answer in OpenAI's shape and are mounted by the gateway. */
export const routes: readonly Route[] = [
  post(
    '/action/confirm',
    {
      needs: 'action:confirm',
      scope: 'interactive',
      risk: 'device',
      summary: 'Confirm a proposed write: exactly one command; interactive login only',
      input: decision.Confirm,
    },
    decision.confirm,
  ),
  post(
    '/action/reject',
    {
      needs: 'action:reject',
      scope: 'interactive',
      risk: 'update',
      summary: 'Reject a proposed write: no command; interactive login only',
      input: decision.Reject,
    },
    decision.reject,
  ),
  post(
    '/action/withdraw',
    {
      needs: 'action:withdraw',
      scope: 'svc:propose',
      risk: 'update',
      summary: 'Withdraw an own proposal while it waits: nobody can confirm it any more',
      input: withdrawal.Withdraw,
    },
    withdrawal.withdraw,
  ),
  get(
    '/action/pending',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'What waits for a human, in the tenant or in one conversation',
      input: action.OfConversation,
    },
    action.pending,
  ),
  get(
    '/action/get',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'One action with its card, decision and the truth about its command',
      input: action.ByActionId,
    },
    action.byId,
  ),
  post(
    '/session/list',
    {
      needs: 'session:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Own conversations, the latest first',
      input: session.ListSessions,
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
    },
    message.list,
  ),
  {
    ...post(
      '/attachment/upload',
      {
        needs: 'attachment:add',
        scope: 'svc:chat',
        risk: 'add',
        summary: 'Attach a file to an own conversation: multipart/form-data, part `file`, 10 MB',
        input: attachment.Upload,
      },
      attachment.upload,
    ),
    file: true,
  },
  get(
    '/attachment/list',
    {
      needs: 'attachment:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Attachments of an own conversation',
      input: session.ByConversationId,
    },
    attachment.list,
  ),
  ...providerRoutes,
];
