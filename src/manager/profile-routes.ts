import type { Route } from '../kernel/app/route.ts';
import { routesOf } from '../kernel/entity/routes.ts';
import { OfDevice, OfProfile } from './entity/of.ts';
import { routes as points } from './point-routes.ts';
import * as commandParam from './profile/command-param.ts';
import * as command from './profile/command.ts';
import * as eventParam from './profile/event-param.ts';
import * as event from './profile/event.ts';
import * as profile from './profile/profile.ts';

const profiles = routesOf({
  noun: 'profile',
  answer: profile.Profile.schema,
  reads: 'svc:read',
});
const commands = routesOf({
  noun: 'command',
  answer: command.Command.schema,
  reads: 'svc:read',
});
const commandParams = routesOf({
  noun: 'command_param',
  answer: commandParam.CommandParam.schema,
  reads: 'svc:read',
});
const events = routesOf({
  noun: 'event',
  answer: event.Event.schema,
  reads: 'svc:read',
});
const eventParams = routesOf({
  noun: 'event_param',
  answer: eventParam.EventParam.schema,
  reads: 'svc:read',
});

/** Profiles, and the points, commands and events that they define. */
export const routes: readonly Route[] = [
  profiles.add('/profile/add', profile.AddProfile, profile.add),
  profiles.update('/profile/update', profile.UpdateProfile, profile.update),
  profiles.remove('/profile/delete', profile.remove),
  profiles.byId('/profile/get_by_id', profile.byId),
  profiles.byIds('/profile/list_by_ids', profile.byIds),
  profiles.of('/profile/list_by_device_id', OfDevice, profile.byDevice),
  profiles.page('/profile/list', profile.ProfileQuery, profile.page),

  ...points,

  commands.add('/command/add', command.AddCommand, command.add),
  commands.update('/command/update', command.UpdateCommand, command.update),
  commands.remove('/command/delete', command.remove),
  commands.byId('/command/get_by_id', command.byId),
  commands.of('/command/list_by_profile_id', OfProfile, command.list),
  commands.of('/command/list_by_device_id', OfDevice, command.list),
  commands.page('/command/list', command.CommandQuery, command.page),

  commandParams.add('/command_param/add', commandParam.AddParam, commandParam.add),
  commandParams.update('/command_param/update', commandParam.UpdateParam, commandParam.update),
  commandParams.remove('/command_param/delete', commandParam.remove),
  commandParams.byId('/command_param/get_by_id', commandParam.byId),
  commandParams.of('/command_param/list_by_command_id', command.OfCommand, commandParam.byCommand),
  commandParams.page('/command_param/list', commandParam.ParamQuery, commandParam.page),

  events.add('/event/add', event.AddEvent, event.add),
  events.update('/event/update', event.UpdateEvent, event.update),
  events.remove('/event/delete', event.remove),
  events.byId('/event/get_by_id', event.byId),
  events.of('/event/list_by_profile_id', OfProfile, event.list),
  events.of('/event/list_by_device_id', OfDevice, event.list),
  events.page('/event/list', event.EventQuery, event.page),

  eventParams.add('/event_param/add', eventParam.AddParam, eventParam.add),
  eventParams.update('/event_param/update', eventParam.UpdateParam, eventParam.update),
  eventParams.remove('/event_param/delete', eventParam.remove),
  eventParams.byId('/event_param/get_by_id', eventParam.byId),
  eventParams.of('/event_param/list_by_event_id', event.OfEvent, eventParam.byEvent),
  eventParams.page('/event_param/list', eventParam.ParamQuery, eventParam.page),
];
