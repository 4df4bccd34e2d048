import { get, post, type Route } from '../kernel/app/route.ts';
import { routesOf } from '../kernel/entity/routes.ts';
import { ById } from '../kernel/input/input.ts';
import { Drill, drill, DrillAnswer } from './deliver/drill.ts';
import { PreviewRule } from './rule/preview/asked.ts';
import { RulePreview } from './rule/preview/preview-answer.ts';
import { preview } from './rule/preview/preview.ts';
import * as rule from './rule/rule.ts';
import * as ruleState from './rule/state-row.ts';
import { byId as warnedById, WarnedRule } from './rule/warned.ts';

const rules = routesOf({ noun: 'rule', answer: rule.Rule.schema, reads: 'svc:read' });
const states = routesOf({
  noun: 'rule_state',
  answer: ruleState.RuleState.schema,
  reads: 'svc:read',
});

/** Endpoints for rules and their states (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  rules.add('/rule/add', rule.AddRule, rule.add),
  rules.remove('/rule/delete', rule.remove, 'Deletes a rule and its states'),
  rules.update(
    '/rule/update',
    rule.UpdateRule,
    rule.update,
    'Changes the given fields of a rule; a new condition starts anew',
  ),
  get(
    '/rule/get_by_id',
    {
      needs: 'rule:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers one rule, with what may keep it from doing what is meant',
      input: ById,
      output: WarnedRule,
    },
    warnedById,
  ),
  rules.page('/rule/list', rule.RuleQuery, rule.page),
  post(
    '/rule/preview',
    {
      needs: 'rule:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what a rule would have raised, tried on what is stored',
      reason: 'docs/specification/alarms.md, Previews of rules',
      input: PreviewRule,
      output: RulePreview,
    },
    preview,
  ),

  post(
    '/rule/drill',
    {
      needs: 'rule:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers which channels would get an alarm at a time, when, and which next',
      reason: 'docs/specification/notifications.md, Drill',
      input: Drill,
      output: DrillAnswer,
    },
    drill,
  ),

  states.byId('/rule/state/get_by_id', ruleState.byId, 'Answers the state of a rule on an entity'),
  states.page(
    '/rule/state/list',
    ruleState.RuleStateQuery,
    ruleState.page,
    'Answers how rules stand on entities',
  ),
];
