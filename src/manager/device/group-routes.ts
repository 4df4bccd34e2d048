import type { Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import * as groupBind from './group-bind.ts';
import * as group from './group.ts';
import * as labelBind from './label-bind.ts';
import * as label from './label.ts';

const groups = routesOf({ noun: 'group', answer: group.Group.schema, reads: 'svc:read' });
const groupBinds = routesOf({
  noun: 'group_bind',
  answer: groupBind.GroupBind.schema,
  reads: 'svc:read',
});
const labels = routesOf({ noun: 'label', answer: label.Label.schema, reads: 'svc:read' });
const labelBinds = routesOf({
  noun: 'label_bind',
  answer: labelBind.LabelBind.schema,
  reads: 'svc:read',
});

/** Groups and labels, which sort entities, and the entities in them. */
export const routes: readonly Route[] = [
  groups.add('/group/add', group.AddGroup, group.add),
  groups.update('/group/update', group.UpdateGroup, group.update),
  groups.remove('/group/delete', group.remove),
  groups.byId('/group/get_by_id', group.byId),
  groups.page('/group/list', group.GroupQuery, group.page),

  groupBinds.add('/group_bind/add', groupBind.AddGroupBind, groupBind.add),
  groupBinds.update('/group_bind/update', groupBind.UpdateGroupBind, groupBind.update),
  groupBinds.remove('/group_bind/delete', groupBind.remove),
  groupBinds.byId('/group_bind/get_by_id', groupBind.byId),
  groupBinds.page('/group_bind/list', groupBind.GroupBindQuery, groupBind.page),

  labels.add('/label/add', label.AddLabel, label.add),
  labels.update('/label/update', label.UpdateLabel, label.update),
  labels.remove('/label/delete', label.remove),
  labels.byId('/label/get_by_id', label.byId),
  labels.page('/label/list', label.LabelQuery, label.page),

  labelBinds.add('/label_bind/add', labelBind.AddLabelBind, labelBind.add),
  labelBinds.update('/label_bind/update', labelBind.UpdateLabelBind, labelBind.update),
  labelBinds.remove('/label_bind/delete', labelBind.remove),
  labelBinds.byId('/label_bind/get_by_id', labelBind.byId),
  labelBinds.page('/label_bind/list', labelBind.LabelBindQuery, labelBind.page),
];
