import { get, type Route } from '../../route.ts';
import * as groupBind from '../group/group-bind.ts';
import * as group from '../group/group.ts';
import * as labelBind from '../group/label-bind.ts';
import * as label from '../group/label.ts';
import { add, byId, list, remove, update } from '../routes/row.ts';
import * as dashboard from './dashboard.ts';
import * as dictionary from './dictionary.ts';
import { TopicQuery, topics } from './point-usage.ts';
import { topology, TopologyQuery } from './topology.ts';

const entries = 'dictionary_for_manager';
const { DictionaryQuery } = dictionary;
const dash = { needs: 'dashboard:get', scope: 'svc:read', risk: 'read' } as const;

/** Routes to find and sort entities: selection lists, groups, labels, and overviews. */
export const routes: readonly Route[] = [
  list('/dictionary/driver', entries, DictionaryQuery, dictionary.drivers),
  list('/dictionary/profile', entries, DictionaryQuery, dictionary.profiles),
  list('/dictionary/profile_point', entries, DictionaryQuery, dictionary.profilePoints),
  list('/dictionary/device_point', entries, DictionaryQuery, dictionary.devicePoints),
  list('/dictionary/device', entries, DictionaryQuery, dictionary.devices),
  list('/dictionary/driver_device', entries, DictionaryQuery, dictionary.driverDevices),

  add('/group/add', 'group', group.AddGroup, group.add),
  update('/group/update', 'group', group.UpdateGroup, group.update),
  remove('/group/delete', 'group', group.remove),
  byId('/group/get_by_id', 'group', group.byId),
  list('/group/list', 'group', group.GroupQuery, group.page),
  add('/group_bind/add', 'group_bind', groupBind.AddGroupBind, groupBind.add),
  update('/group_bind/update', 'group_bind', groupBind.UpdateGroupBind, groupBind.update),
  remove('/group_bind/delete', 'group_bind', groupBind.remove),
  byId('/group_bind/get_by_id', 'group_bind', groupBind.byId),
  list('/group_bind/list', 'group_bind', groupBind.GroupBindQuery, groupBind.page),
  add('/label/add', 'label', label.AddLabel, label.add),
  update('/label/update', 'label', label.UpdateLabel, label.update),
  remove('/label/delete', 'label', label.remove),
  byId('/label/get_by_id', 'label', label.byId),
  list('/label/list', 'label', label.LabelQuery, label.page),
  add('/label_bind/add', 'label_bind', labelBind.AddLabelBind, labelBind.add),
  update('/label_bind/update', 'label_bind', labelBind.UpdateLabelBind, labelBind.update),
  remove('/label_bind/delete', 'label_bind', labelBind.remove),
  byId('/label_bind/get_by_id', 'label_bind', labelBind.byId),
  list('/label_bind/list', 'label_bind', labelBind.LabelBindQuery, labelBind.page),

  get(
    '/dashboard/driver/stats',
    { ...dash, summary: 'Counts drivers by state, type and service', input: dashboard.Nothing },
    dashboard.driverStats,
  ),
  get(
    '/dashboard/device/stats',
    { ...dash, summary: 'Counts devices by state, driver and profile', input: dashboard.TopN },
    dashboard.deviceStats,
  ),
  get(
    '/dashboard/growth',
    { ...dash, summary: 'Answers what was added on each of the last days', input: dashboard.Days },
    dashboard.growth,
  ),
  get(
    '/dashboard/topology',
    { ...dash, summary: 'Answers who is connected to what', input: TopologyQuery },
    topology,
  ),
  list('/topic/list', 'topic', TopicQuery, topics),
];
