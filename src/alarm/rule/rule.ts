import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id, IdOrZero } from '../../core/input/id.ts';
import { type ById, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { RuleTable } from '../../db/schema/alarm.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { AlarmTarget } from '../alarm/alarm.ts';
import { endEpisodes } from '../alarm/episode.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { forgetRules } from './rule-cache.ts';
import { RuleExt } from './rule-ext.ts';

/** A rule: entity, condition, policy and template (docs/specification/alarms.md, Definition of a rule). */
export type Rule = Base & {
  alarmTargetTypeFlag: AlarmTarget;
  ruleName: string;
  ruleCode: string;
  /** '0' = every entity of the target; the device for EVENT rules. */
  entityId: string;
  notifyId: string;
  messageId: string;
  ruleExt: Record<string, unknown>;
  enableFlag: keyof typeof EnableFlag;
};

const ruleOf = (row: Selectable<RuleTable>): Rule => ({
  ...baseOf(row),
  alarmTargetTypeFlag: nameOf(AlarmTarget, row.alarmTargetTypeFlag),
  ruleName: row.ruleName,
  ruleCode: row.ruleCode,
  entityId: row.entityId,
  notifyId: row.notifyId,
  messageId: row.messageId,
  ruleExt: row.ruleExt,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});

const links = { notifyId: IdOrZero.optional(), messageId: IdOrZero.optional() };

export const AddRule = input({
  ...shared,
  ...links,
  ruleName: Name,
  ruleCode: GivenCode,
  alarmTargetTypeFlag: flag(AlarmTarget),
  entityId: IdOrZero.default('0'),
  ruleExt: RuleExt,
});
type AddRule = z.infer<typeof AddRule>;

/** Target and entity of a rule cannot change. */
export const UpdateRule = input({
  ...shared,
  ...links,
  id: Id,
  ruleName: Name.optional(),
  ruleExt: RuleExt.optional(),
});
type UpdateRule = z.infer<typeof UpdateRule>;

export const RuleQuery = input({
  page: Page,
  ruleName: Text(64).optional(),
  ruleCode: Text(64).optional(),
  entityId: Id.optional(),
  alarmTargetTypeFlag: flag(AlarmTarget).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type RuleQuery = z.infer<typeof RuleQuery>;

const watched = ['svc_point', 'svc_device', 'svc_driver', 'svc_device'] as const;

/** Locks the policy and template of a rule against deletion; throws NotFound. */
async function holdLinks(
  q: Queries,
  tenantId: string,
  {
    notifyId = '0',
    messageId = '0',
  }: { notifyId?: string | undefined; messageId?: string | undefined },
): Promise<void> {
  if (notifyId !== '0') await hold(q, 'svc_notify', tenantId, notifyId);
  if (messageId !== '0') await hold(q, 'svc_message_template', tenantId, messageId);
}

/** Only points report periodically, so only they can have `nodata` rules. */
function speaksOfPoints({ content }: z.infer<typeof RuleExt>, target: number): void {
  if (content.condition.operator === 'nodata' && target !== AlarmTarget.POINT)
    throw new Unprocessable('nodata is a condition of points');
}

async function requireRule(q: Queries, tenantId: string, id: string): Promise<Rule> {
  const row = await q
    .selectFrom('svc_rule')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Rule');
  return ruleOf(row);
}

export const add: Operation<AddRule, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  speaksOfPoints(given.ruleExt, given.alarmTargetTypeFlag);
  const adding = inTenant(app.db, tenantId, async (q) => {
    const table = watched[given.alarmTargetTypeFlag];
    if (given.entityId !== '0' && table) await hold(q, table, tenantId, given.entityId);
    await holdLinks(q, tenantId, given);
    return q
      .insertInto('svc_rule')
      .values({
        ...given,
        ruleExt: JSON.stringify(given.ruleExt),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await conflictIfTaken('rule', adding);
  forgetRules(app, tenantId);
  return id;
};

/** A new ruleExt, or disabling, deletes the states of the rule and closes its firing alarms. */
export const update: Operation<UpdateRule, void> = async (app, caller, given) => {
  const { id, ruleExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await requireRule(q, tenantId, id);
    if (ruleExt) speaksOfPoints(ruleExt, AlarmTarget[before.alarmTargetTypeFlag]);
    await holdLinks(q, tenantId, change);
    await q
      .updateTable('svc_rule')
      .set({
        ...change,
        ...(ruleExt ? { ruleExt: JSON.stringify(ruleExt) } : {}),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    const disabled = change.enableFlag === EnableFlag.DISABLE;
    const reason = disabled ? 'RULE_DISABLED' : 'RULE_CHANGED';
    const now = app.clock.now();
    if (ruleExt || disabled) await forgetStates(q, tenantId, { ruleId: id, reason, now });
  });
  await conflictIfTaken('rule', updating);
  forgetRules(app, tenantId);
};

/** Deletes the states of the rule too; its alarms stay, closed. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  await inTenant(app.db, tenantId, async (q) => {
    await requireRule(q, tenantId, id);
    // Delete the rule first: an evaluation that holds its lock ends before the states are deleted.
    await q.deleteFrom('svc_rule').where('tenantId', '=', tenantId).where('id', '=', id).execute();
    const now = app.clock.now();
    await forgetStates(q, tenantId, { ruleId: id, reason: 'RULE_DELETED', now });
  });
  forgetRules(app, tenantId);
};

async function forgetStates(
  q: Queries,
  tenantId: string,
  given: Parameters<typeof endEpisodes>[2],
): Promise<void> {
  await q
    .deleteFrom('svc_rule_state')
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', given.ruleId)
    .execute();
  await endEpisodes(q, tenantId, given);
}

export const byId: Operation<ById, Rule> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireRule(q, tenantId, id));

export const page: Operation<RuleQuery, Paged<Rule>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_rule').selectAll().where('tenantId', '=', tenantId);
    if (given.ruleName) query = query.where('ruleName', 'ilike', contains(given.ruleName));
    if (given.ruleCode) query = query.where('ruleCode', 'ilike', contains(given.ruleCode));
    if (given.entityId) query = query.where('entityId', '=', given.entityId);
    if (given.alarmTargetTypeFlag !== undefined)
      query = query.where('alarmTargetTypeFlag', '=', given.alarmTargetTypeFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('id', 'desc'), given.page, ruleOf);
  });
