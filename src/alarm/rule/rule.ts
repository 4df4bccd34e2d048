import { isDeepStrictEqual } from 'node:util';

import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { RuleTable } from '../../db/schema/alarm.ts';
import type { PointTable } from '../../db/schema/manager.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, knownExt, named, stored } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { inOrder, orders } from '../../kernel/entity/in-order.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { findRow, hold, rowOf } from '../../kernel/entity/row.ts';
import { BadRequest, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag, nameOf } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, GivenCode, exact, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { endEpisodes } from '../alarm/episode.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleExt } from '../kind/rule-ext.ts';
import { wake, wakeRule } from '../notify/wake.ts';
import { completed } from '../validation/complete.ts';
import { refuseSenseless } from '../validation/sense.ts';
import { MAX_RULES, forgetRules } from './rule-cache.ts';
import { RuleState } from './state-row.ts';

/** A rule: entity, condition, policy and template (docs/specification/alarms.md, Definition of a rule). */
export const Rule = stored('Rule', {
  alarmTargetTypeFlag: named(AlarmTarget),
  ruleName: z.string().meta({ examples: ['Boiler too hot'] }),
  ruleCode: z.string().meta({ examples: ['boiler-too-hot'] }),
  entityId: AnswerId.describe('0: every entity of the target; the device for EVENT rules'),
  notifyId: AnswerId,
  messageId: AnswerId,
  ruleExt: knownExt(RuleExt),
  enableFlag: named(EnableFlag),
});
export type Rule = z.output<typeof Rule.schema>;

// Not its device, which would seem to be what the rule watches.
const { deviceId: _, ...state } = RuleState.schema.shape;
const answered = [...Object.keys(Rule.schema.shape), ...Object.keys(state), 'warnings'];

const links = { notifyId: IdOrZero.optional(), messageId: IdOrZero.optional() };

export const AddRule = exact(
  {
    ...shared,
    ...links,
    ruleName: Name,
    ruleCode: GivenCode,
    alarmTargetTypeFlag: flag(AlarmTarget),
    entityId: IdOrZero.default('0'),
    ruleExt: RuleExt,
  },
  answered,
);
type AddRule = z.infer<typeof AddRule>;

/** Target and entity of a rule cannot change. */
export const UpdateRule = exact(
  {
    ...shared,
    ...links,
    id: Id,
    ruleName: Name.optional(),
    ruleExt: RuleExt.optional(),
  },
  answered,
);
type UpdateRule = z.infer<typeof UpdateRule>;

export const RuleQuery = input({
  page: Page,
  orderBy: orders('ruleName', 'severity').optional(),
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

/**
 * Only points report periodically, so only they can have `nodata` rules (Unprocessable); a rule that has one device already
 * chooses none (BadRequest).
 */
export function refuseMisplaced({ content }: Ext, target: number, entityId: string): void {
  const isOfPoint = target === AlarmTarget.POINT;
  if (content.condition.operator === 'nodata' && !isOfPoint)
    throw new Unprocessable('nodata is a condition of points');
  if (content.devices && !isOfPoint && entityId !== '0')
    throw new BadRequest('ruleExt.content.devices: the rule watches one device or driver already');
}

/** Throws Unprocessable where as many rules of the tenant are enabled as are looked at. */
async function demandRoom(q: Queries, tenantId: string): Promise<void> {
  const enabled = q
    .selectFrom('svc_rule')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .limit(MAX_RULES);
  const { count } = await q
    .selectFrom(enabled.as('enabled'))
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_RULES)
    throw new Unprocessable(
      `A tenant has at most ${MAX_RULES} enabled rules; disable or delete one first`,
    );
}

type Point = Pick<Selectable<PointTable>, 'id' | 'profileId' | 'pointTypeFlag'>;

/** Whether a rule watches one point: not anything else, nor every point. */
const isPoint = (entity: object): entity is Point => 'pointTypeFlag' in entity;

export const add: Operation<AddRule, string> = async (app, caller, given) => {
  const id = await inTenant(app.db, caller.tenantId, (q) => addIn(app, q, caller, given));
  forgetRules(app, caller.tenantId);
  return id;
};

/** Adds a rule in a transaction of more; the rules are to be forgotten after its commit. */
export async function addIn(app: App, q: Queries, caller: Caller, given: AddRule): Promise<string> {
  const { tenantId } = caller;
  const { entityId, alarmTargetTypeFlag: target } = given;
  refuseMisplaced(given.ruleExt, target, entityId);
  const table = watched[target];
  const entity = entityId !== '0' && table ? await hold(q, table, tenantId, entityId) : {};
  const ext = await sensible(q, tenantId, given.ruleExt, { target, entity });
  const ruleExt = JSON.stringify(ext);
  await holdLinks(q, tenantId, given);
  const isOff = given.enableFlag === EnableFlag.DISABLE;
  const [, id] = await Promise.all([
    isOff ? undefined : demandRoom(q, tenantId),
    conflictIfTaken('rule', addRow(q, app, caller, 'svc_rule', { ...given, ruleExt })),
  ]);
  return id;
}

type Ext = z.output<typeof RuleExt>;

/** What is stored of a ruleExt: with the points that it names. Throws BadRequest for one that makes no sense. */
export async function sensible(
  q: Queries,
  tenantId: string,
  ext: Ext,
  { target, entity }: { target: number; entity: object },
): Promise<Ext> {
  const point = isPoint(entity) ? entity : null;
  const { content, types } = await completed(q, tenantId, ext.content, point);
  const type = point && nameOf(ValueType, point.pointTypeFlag);
  refuseSenseless(content, { target: nameOf(AlarmTarget, target), type, points: types });
  return { ...ext, content };
}

/** What is stored of a changed ruleExt; the one that is stored already is not looked at again. */
async function changedExt(
  q: Queries,
  { tenantId, alarmTargetTypeFlag: target, entityId, ruleExt }: Selectable<RuleTable>,
  asked: Ext,
): Promise<Ext> {
  refuseMisplaced(asked, target, entityId);
  if (isDeepStrictEqual(asked, RuleExt.safeParse(ruleExt).data)) return asked;
  const point =
    target === AlarmTarget.POINT ? await findRow(q, 'svc_point', tenantId, entityId) : undefined;
  return sensible(q, tenantId, asked, { target, entity: point ?? {} });
}

/** A ruleExt with more than another instruction, or disabling, deletes the states of the rule and closes its firing alarms. */
export const update: Operation<UpdateRule, void> = async (app, caller, given) => {
  await inTenant(app.db, caller.tenantId, (q) => updateIn(app, q, caller, given));
  forgetRules(app, caller.tenantId);
};

/** Changes a rule in a transaction of more; the rules are to be forgotten after its commit. */
export async function updateIn(
  app: App,
  q: Queries,
  caller: Caller,
  given: UpdateRule,
): Promise<void> {
  const { id: ruleId } = given;
  const { tenantId } = caller;
  const before = await rowOf(q, 'svc_rule', tenantId, ruleId);
  const ruleExt = given.ruleExt && (await changedExt(q, before, given.ruleExt));
  const isOn = given.enableFlag === EnableFlag.ENABLE;
  if (isOn && before.enableFlag !== EnableFlag.ENABLE) await demandRoom(q, tenantId);
  await holdLinks(q, tenantId, given);
  const change = { ...given, ruleExt: ruleExt && JSON.stringify(ruleExt) };
  await conflictIfTaken('rule', changeRow(q, app, caller, 'svc_rule', change));
  const disabled = given.enableFlag === EnableFlag.DISABLE;
  const reason = disabled ? 'RULE_DISABLED' : 'RULE_CHANGED';
  const now = app.clock.now();
  const isOther = ruleExt !== undefined && watchesOther(before.ruleExt, ruleExt);
  if (isOther || disabled) await forgetStates(q, tenantId, { ruleId, reason, now });
  const { notifyId = before.notifyId, messageId = before.messageId } = given;
  if (notifyId !== before.notifyId || messageId !== before.messageId)
    await wakeRule(q, tenantId, { ruleId, notifyId, messageId }, now);
}

/** Whether more than the instruction changes: a typo in it is mended while the alarm fires. */
function watchesOther(before: unknown, now: z.output<typeof RuleExt>): boolean {
  const known = RuleExt.safeParse(before).data;
  const decisive = (ext: z.output<typeof RuleExt>) => ({ ...ext.content, instruction: '' });
  return known === undefined || !isDeepStrictEqual(decisive(known), decisive(now));
}

/** Deletes the states of the rule too; its alarms stay, closed. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  await inTenant(app.db, tenantId, async (q) => {
    await rowOf(q, 'svc_rule', tenantId, id);
    // Delete the rule first: an evaluation that holds its lock ends before the states are deleted.
    await deleteRow(q, 'svc_rule', tenantId, id);
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
  // What their channels know is made true by the ledger.
  const alarmIds = await endEpisodes(q, tenantId, given);
  await wake(q, tenantId, { alarmIds }, given.now);
}

export const byId: Operation<ById, Rule> = byIdIn('svc_rule', Rule.of);

/** Of a stored rule. */
const SEVERITY = sql`rule_ext #>> '{content,severity}'`;

export const page: Operation<RuleQuery, Paged<Rule>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_rule').selectAll().where('tenantId', '=', tenantId),
      given,
      { like: ['ruleName', 'ruleCode'], equal: ['entityId', 'alarmTargetTypeFlag', 'enableFlag'] },
    );
    const ordered =
      given.orderBy === undefined
        ? query.orderBy('id', 'desc')
        : inOrder(query, given.orderBy, { severity: SEVERITY });
    return pageOf(ordered, given.page, Rule.of);
  });
