import type { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { requireMember } from '../../auth/people/member.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { lockedRow } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';

const MAX_NAMED = 200;

export const AssignAlarm = exact({
  id: Id,
  principalId: IdOrZero.describe('A person of the tenant; 0: no person'),
});

/**
 * Assigns an alarm to a person of the tenant. Requires a person on an interactive login (403); throws
 * NotFound, also for those of another tenant, and Unprocessable for a program.
 */
export const assign: Operation<z.output<typeof AssignAlarm>, true> = (
  app,
  caller,
  { id, principalId },
) => {
  demandPerson(caller, 'assign an alarm');
  const { tenantId } = caller;
  return inTenant(app.db, tenantId, async (q): Promise<true> => {
    const { message } = await lockedRow(q, 'svc_entity_alarm', tenantId, id);
    const member = principalId === '0' ? null : await requireMember(q, tenantId, principalId);
    if (member && member.principalType !== 'USER')
      throw new Unprocessable('An alarm is assigned to a person');
    const assigneeName = member?.principalName ?? '';
    await q
      .updateTable('svc_entity_alarm')
      .set({ assigneeId: principalId, assigneeName })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await audit(app, q, caller, {
      action: 'UPDATE',
      resourceType: 'ALARM',
      resourceId: id,
      resourceName: message.slice(0, MAX_NAMED),
      detail: { assignee: assigneeName },
    });
    return true;
  });
};
