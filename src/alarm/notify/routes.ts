import { routesOf } from '../../entity/routes.ts';
import { add, byId, list, onlyInteractive, remove, update } from '../../manager/routes/row.ts';
import type { Route } from '../../route.ts';
import * as bind from './bind.ts';
import * as channel from './channel.ts';
import * as history from './history.ts';
import * as notify from './policy.ts';
import * as message from './template.ts';

const policies = routesOf({ noun: 'notify', answer: notify.Notify.schema, reads: 'svc:read' });

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

  add('/notify/channel/add', 'notify_channel', channel.AddChannel, channel.add),
  update('/notify/channel/update', 'notify_channel', channel.UpdateChannel, channel.update),
  remove('/notify/channel/delete', 'notify_channel', channel.remove),
  // Interactive logins only: channels have addresses of people, and the URL of a webhook may be its secret.
  onlyInteractive(byId('/notify/channel/get_by_id', 'notify_channel', channel.byId)),
  onlyInteractive(
    list('/notify/channel/list', 'notify_channel', channel.ChannelQuery, channel.page),
  ),

  add('/notify/channel/bind/add', 'notify_channel_bind', bind.AddBind, bind.add),
  update('/notify/channel/bind/update', 'notify_channel_bind', bind.UpdateBind, bind.update),
  remove('/notify/channel/bind/delete', 'notify_channel_bind', bind.remove),
  byId('/notify/channel/bind/get_by_id', 'notify_channel_bind', bind.byId),
  list('/notify/channel/bind/list', 'notify_channel_bind', bind.BindQuery, bind.page),

  add('/message/add', 'message', message.AddMessage, message.add),
  update('/message/update', 'message', message.UpdateMessage, message.update),
  remove('/message/delete', 'message', message.remove),
  byId('/message/get_by_id', 'message', message.byId),
  list('/message/list', 'message', message.MessageQuery, message.page),

  onlyInteractive(byId('/notify/history/get_by_id', 'notify_history', history.byId)),
  onlyInteractive(
    list('/notify/history/list', 'notify_history', history.HistoryQuery, history.page),
  ),
];
