import type { Route } from '../../route.ts';
import { OfDevice, OfProfile } from '../overview/point-list.ts';
import { add, byId, find, list, remove, update } from '../routes/row.ts';
import * as commandParam from './command-param.ts';
import * as command from './command.ts';
import * as eventParam from './event-param.ts';
import * as event from './event.ts';

/** Commands and events that profiles define, with their parameters. */
export const routes: readonly Route[] = [
  add('/command/add', 'command', command.AddCommand, command.add),
  update('/command/update', 'command', command.UpdateCommand, command.update),
  remove('/command/delete', 'command', command.remove),
  byId('/command/get_by_id', 'command', command.byId),
  find('/command/list_by_profile_id', 'command', OfProfile, command.list),
  find('/command/list_by_device_id', 'command', OfDevice, command.list),
  list('/command/list', 'command', command.CommandQuery, command.page),
  add('/command_param/add', 'command_param', commandParam.AddParam, commandParam.add),
  update('/command_param/update', 'command_param', commandParam.UpdateParam, commandParam.update),
  remove('/command_param/delete', 'command_param', commandParam.remove),
  byId('/command_param/get_by_id', 'command_param', commandParam.byId),
  find(
    '/command_param/list_by_command_id',
    'command_param',
    commandParam.OfCommand,
    commandParam.byCommand,
  ),
  list('/command_param/list', 'command_param', commandParam.ParamQuery, commandParam.page),
  add('/event/add', 'event', event.AddEvent, event.add),
  update('/event/update', 'event', event.UpdateEvent, event.update),
  remove('/event/delete', 'event', event.remove),
  byId('/event/get_by_id', 'event', event.byId),
  find('/event/list_by_profile_id', 'event', OfProfile, event.list),
  find('/event/list_by_device_id', 'event', OfDevice, event.list),
  list('/event/list', 'event', event.EventQuery, event.page),
  add('/event_param/add', 'event_param', eventParam.AddParam, eventParam.add),
  update('/event_param/update', 'event_param', eventParam.UpdateParam, eventParam.update),
  remove('/event_param/delete', 'event_param', eventParam.remove),
  byId('/event_param/get_by_id', 'event_param', eventParam.byId),
  find('/event_param/list_by_event_id', 'event_param', eventParam.OfEvent, eventParam.byEvent),
  list('/event_param/list', 'event_param', eventParam.ParamQuery, eventParam.page),
];
