import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../../app.ts';
import { NotFound } from '../../../core/errors.ts';
import { flag, nameOf } from '../../../core/input/flag.ts';
import { Id } from '../../../core/input/id.ts';
import { type ById, input } from '../../../core/input/input.ts';
import { Page, type Paged } from '../../../core/input/page.ts';
import { Text } from '../../../core/input/text.ts';
import { pageOf } from '../../../db/query-page.ts';
import type { RuleStateTable } from '../../../db/schema/alarm.ts';
import { inTenant } from '../../../db/tenant.ts';
import { AlarmTarget } from '../../alarm/alarm.ts';
import { type Base, baseOf } from '../../base-fields.ts';
import { RuleStatus } from './rule-status.ts';

/**
 * The state of one rule on one entity; entityStateFlag is a number (docs/specification/alarms.md,
 * Enumerations).
 */
export type RuleState = Base & {
  /** '0' for an outage, which has no rule. */
  ruleId: string;
  alarmTargetTypeFlag: AlarmTarget;
  entityId: string;
  deviceId: string;
  fingerprint: string;
  entityStateFlag: number;
  firstTriggerTime: string | null;
  lastTriggerTime: string | null;
  lastRecoverTime: string | null;
  lastNotifyTime: string | null;
  triggerCount: string;
  alarmId: string;
  entityStateExt: Record<string, unknown>;
};

const stateOf = (row: Selectable<RuleStateTable>): RuleState => ({
  ...baseOf(row),
  ruleId: row.ruleId,
  alarmTargetTypeFlag: nameOf(AlarmTarget, row.alarmTargetTypeFlag),
  entityId: row.entityId,
  deviceId: row.deviceId,
  fingerprint: row.fingerprint,
  entityStateFlag: row.entityStateFlag,
  firstTriggerTime: row.firstTriggerTime?.toISOString() ?? null,
  lastTriggerTime: row.lastTriggerTime?.toISOString() ?? null,
  lastRecoverTime: row.lastRecoverTime?.toISOString() ?? null,
  lastNotifyTime: row.lastNotifyTime?.toISOString() ?? null,
  triggerCount: row.triggerCount,
  alarmId: row.alarmId,
  entityStateExt: row.entityStateExt,
});

export const RuleStateQuery = input({
  page: Page,
  ruleId: Id.optional(),
  alarmTargetTypeFlag: flag(AlarmTarget).optional(),
  entityId: Id.optional(),
  fingerprint: Text(256).optional(),
  entityStateFlag: flag(RuleStatus).optional(),
  alarmId: Id.optional(),
});
type RuleStateQuery = z.infer<typeof RuleStateQuery>;

export const byId: Operation<ById, RuleState> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_rule_state')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Rule state');
    return stateOf(row);
  });

/** States without any match of the condition are left out. */
export const page: Operation<RuleStateQuery, Paged<RuleState>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q
      .selectFrom('svc_rule_state')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('firstTriggerTime', 'is not', null);
    for (const name of ['ruleId', 'entityId', 'fingerprint', 'alarmId'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    for (const name of ['alarmTargetTypeFlag', 'entityStateFlag'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    return pageOf(query.orderBy('operateTime', 'desc').orderBy('id', 'desc'), given.page, stateOf);
  });
