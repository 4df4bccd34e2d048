import { ById } from '../core/input/input.ts';
import { get, post, type Route } from '../route.ts';
import * as alert from './alarm/alert.ts';
import { routes as notify } from './notify/routes.ts';
import * as rule from './rule/rule.ts';
import * as ruleState from './rule/state/rule-state.ts';

/** The alarm part of the data center's endpoint table (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  post(
    '/rule/add',
    {
      needs: 'rule:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Adds a rule; answers its id',
      input: rule.AddRule,
    },
    rule.add,
  ),
  post(
    '/rule/delete',
    {
      needs: 'rule:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Deletes a rule and its states',
      input: ById,
    },
    rule.remove,
  ),
  post(
    '/rule/update',
    {
      needs: 'rule:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Changes the given fields of a rule; a new condition starts anew',
      input: rule.UpdateRule,
    },
    rule.update,
  ),
  get(
    '/rule/get_by_id',
    {
      needs: 'rule:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers one rule',
      input: ById,
    },
    rule.byId,
  ),
  post(
    '/rule/list',
    {
      needs: 'rule:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers rules',
      input: rule.RuleQuery,
    },
    rule.page,
  ),
  get(
    '/rule/state/get_by_id',
    {
      needs: 'rule_state:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers how a rule stands on an entity',
      input: ById,
    },
    ruleState.byId,
  ),
  post(
    '/rule/state/list',
    {
      needs: 'rule_state:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers how rules stand on entities',
      input: ruleState.RuleStateQuery,
    },
    ruleState.page,
  ),
  post(
    '/dashboard/alert/page',
    {
      needs: 'dashboard:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers alarms of drivers, devices or points, newest first',
      input: alert.AlertQuery,
    },
    alert.page,
  ),
  post(
    '/dashboard/alert/confirm',
    {
      needs: 'alarm:confirm',
      scope: 'interactive',
      risk: 'update',
      summary: 'Confirms an alarm; one that has recovered is closed',
      input: alert.ConfirmAlert,
    },
    alert.confirm,
  ),
  post(
    '/dashboard/alert/unconfirm',
    {
      needs: 'alarm:confirm',
      scope: 'interactive',
      risk: 'update',
      summary: 'Takes the confirmation of an alarm back',
      input: alert.ConfirmAlert,
    },
    alert.unconfirm,
  ),
  post(
    '/dashboard/alert/bulk_confirm',
    {
      needs: 'alarm:confirm',
      scope: 'interactive',
      risk: 'update',
      summary: 'Confirms alarms, or takes their confirmations back; answers how many',
      input: alert.BulkConfirm,
    },
    alert.bulkConfirm,
  ),
  ...notify,
];
