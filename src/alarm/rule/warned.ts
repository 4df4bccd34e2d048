import type { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import type { ById } from '../../kernel/input/input.ts';
import { Warnings } from '../validation/sense.ts';
import { warningsOf } from '../validation/warnings.ts';
import { Rule } from './rule.ts';

/** A rule with what may keep it from doing what is meant (docs/specification/alarms.md, Warnings of rules). */
export const WarnedRule = Rule.schema.extend({ warnings: Warnings }).meta({ id: 'WarnedRule' });
type WarnedRule = z.output<typeof WarnedRule>;

/** Throws NotFound. */
export const byId: Operation<ById, WarnedRule> = (app, caller, { id }) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const [row, [warned]] = await Promise.all([
      rowOf(q, 'svc_rule', caller.tenantId, id),
      warningsOf(q, caller, { ruleId: id }),
    ]);
    return { ...Rule.of(row), warnings: warned?.warnings ?? [] };
  });
