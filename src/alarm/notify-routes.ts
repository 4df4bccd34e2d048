import { get, post, type Route } from '../kernel/app/route.ts';
import { Done } from '../kernel/entity/answer.ts';
import { routesOf } from '../kernel/entity/routes.ts';
import { ById, input } from '../kernel/input/input.ts';
import { ChannelTest, testChannel } from './deliver/channel-test.ts';
import { AnswerAlarm, answerAlarm } from './deliver/pager-answer.ts';
import { preview, PreviewTemplate, TemplatePreview } from './message/template-preview.ts';
import * as bind from './notify/bind.ts';
import * as channel from './notify/channel/channel.ts';
import * as push from './notify/channel/push.ts';
import * as history from './notify/history.ts';
import * as notify from './notify/policy.ts';
import * as message from './notify/template.ts';

const policies = routesOf({ noun: 'notify', answer: notify.Notify.schema, reads: 'svc:read' });
// Interactive logins only: channels have addresses of people, and the URL of a webhook may be its secret.
const channels = routesOf({
  noun: 'notify_channel',
  answer: channel.NotifyChannel.schema,
  reads: 'interactive',
});
const binds = routesOf({
  noun: 'notify_channel_bind',
  answer: bind.NotifyChannelBind.schema,
  reads: 'svc:read',
});
const messages = routesOf({ noun: 'message', answer: message.Message.schema, reads: 'svc:read' });
// Notifications have addresses of people too.
const notifications = routesOf({
  noun: 'notify_history',
  answer: history.NotifyHistory.schema,
  reads: 'interactive',
});

/** Of a person, for the own browsers alone. */
const ownBrowsers = {
  needs: 'authenticated',
  scope: 'interactive',
  reason: 'docs/specification/notifications.md, Browsers',
} as const;

/**
 * Endpoints for policies, channels, binds, templates and the notification history
 * (docs/specification/endpoints.md, Centers).
 */
export const routes: readonly Route[] = [
  policies.add('/notify/add', notify.AddNotify, notify.add),
  policies.update('/notify/update', notify.UpdateNotify, notify.update),
  policies.remove('/notify/delete', notify.remove),
  policies.byId('/notify/get_by_id', notify.byId),
  policies.page('/notify/list', notify.NotifyQuery, notify.page),

  channels.add('/notify/channel/add', channel.AddChannel, channel.add),
  channels.update('/notify/channel/update', channel.UpdateChannel, channel.update),
  channels.remove('/notify/channel/delete', channel.remove),
  post(
    '/notify/channel/test',
    {
      needs: 'notify_channel:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Sends a test message over a channel and answers how it went',
      reason: 'docs/specification/notifications.md, Trying out',
      input: ById,
      output: ChannelTest,
    },
    testChannel,
  ),
  {
    ...post(
      '/notify/channel/answer',
      {
        needs: 'public',
        scope: 'interactive',
        risk: 'update',
        summary: 'Takes the signed answer of a receiver: it acknowledges an alarm',
        reason: 'docs/specification/notifications.md, Answers',
        input: AnswerAlarm,
        output: Done,
      },
      answerAlarm,
    ),
    signed: true,
  },
  get(
    '/notify/push/get',
    {
      ...ownBrowsers,
      needs: 'dashboard:list',
      risk: 'read',
      summary:
        'The browsers to which alarms are pushed for the caller, and the key to subscribe one',
      input: input({}),
      output: push.PushState,
    },
    push.get,
  ),
  post(
    '/notify/push/subscribe',
    {
      ...ownBrowsers,
      risk: 'update',
      summary:
        'Alarms that a policy sends to the caller are pushed to this browser; answers its id',
      input: push.Subscribe,
      output: push.BrowserId,
    },
    push.subscribe,
  ),
  post(
    '/notify/push/unsubscribe',
    {
      ...ownBrowsers,
      risk: 'update',
      summary: 'Nothing is pushed to a browser of the caller any more',
      input: push.Unsubscribe,
      output: Done,
    },
    push.unsubscribe,
  ),
  channels.byId('/notify/channel/get_by_id', channel.byId),
  channels.page('/notify/channel/list', channel.ChannelQuery, channel.page),

  binds.add('/notify/channel/bind/add', bind.AddBind, bind.add),
  binds.update('/notify/channel/bind/update', bind.UpdateBind, bind.update),
  binds.remove('/notify/channel/bind/delete', bind.remove),
  binds.byId('/notify/channel/bind/get_by_id', bind.byId),
  binds.page('/notify/channel/bind/list', bind.BindQuery, bind.page),

  messages.add('/message/add', message.AddMessage, message.add),
  messages.update('/message/update', message.UpdateMessage, message.update),
  messages.remove('/message/delete', message.remove),
  post(
    '/message/preview',
    {
      needs: 'message:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Fills a template with an example alarm',
      reason: 'docs/specification/notifications.md, Trying out',
      input: PreviewTemplate,
      output: TemplatePreview,
    },
    preview,
  ),
  messages.byId('/message/get_by_id', message.byId),
  messages.page('/message/list', message.MessageQuery, message.page),

  notifications.byId('/notify/history/get_by_id', history.byId),
  notifications.page('/notify/history/list', history.HistoryQuery, history.page),
];
