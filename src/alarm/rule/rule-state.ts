import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import {
  AnswerExt,
  AnswerId,
  MaybeTime,
  named,
  numbered,
  stored,
} from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

/**
 * The state of one rule on one entity; entityStateFlag is a number (docs/specification/alarms.md,
 * Enumerations).
 */
export const RuleState = stored('RuleState', {
  ruleId: AnswerId.describe('0 for an outage, which has no rule'),
  alarmTargetTypeFlag: named(AlarmTarget),
  entityId: AnswerId,
  deviceId: AnswerId,
  fingerprint: z
    .string()
    .meta({ examples: ['12:POINT:7312:41'] })
    .describe('Rule, target, entity and device; one state for each'),
  entityStateFlag: numbered(RuleStatus),
  firstTriggerTime: MaybeTime,
  lastTriggerTime: MaybeTime,
  lastRecoverTime: MaybeTime,
  lastNotifyTime: MaybeTime,
  triggerCount: z.string().describe('Matching facts since the alarm fired'),
  alarmId: AnswerId,
  entityStateExt: AnswerExt,
});
export type RuleState = z.output<typeof RuleState.schema>;

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

export const byId: Operation<ById, RuleState> = byIdIn('svc_rule_state', RuleState.of);

/** States without any match of the condition are left out. */
export const page: Operation<RuleStateQuery, Paged<RuleState>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q
        .selectFrom('svc_rule_state')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .where('firstTriggerTime', 'is not', null),
      given,
      {
        equal: [
          'ruleId',
          'alarmTargetTypeFlag',
          'entityId',
          'fingerprint',
          'entityStateFlag',
          'alarmId',
        ],
      },
    );
    return pageOf(
      query.orderBy('operateTime', 'desc').orderBy('id', 'desc'),
      given.page,
      RuleState.of,
    );
  });
