import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import type { Queries } from '../../db/connect.ts';
import { touched } from '../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Conflict } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';

export const ApprovalSwitch = z
  .object({ on: z.boolean().describe('Whether standing approvals decide in this tenant') })
  .meta({ id: 'ApprovalSwitch' });
type ApprovalSwitch = z.output<typeof ApprovalSwitch>;
export const SetSwitch = input({ on: z.boolean() });

/** Off until an administrator turns it on. */
export const get: Operation<unknown, ApprovalSwitch> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => ({ on: await isOn(q, tenantId) }));

/** While it is off none is made and none decides; those there are decide again once it is on. Throws Forbidden for any caller but an interactive login. */
export const set: Operation<z.output<typeof SetSwitch>, ApprovalSwitch> = (app, caller, { on }) => {
  demandPerson(caller, 'switch standing approvals');
  const { tenantId } = caller;
  const row = { isOn: on, ...touched(app, caller) };
  return inTenant(app.db, tenantId, async (q) => {
    await q
      .insertInto('svc_approval_switch')
      .values({ tenantId, ...row })
      .onConflict((conflict) => conflict.column('tenantId').doUpdateSet(row))
      .execute();
    await audit(app, q, caller, {
      action: on ? 'ENABLE' : 'DISABLE',
      resourceType: 'APPROVAL_SWITCH',
      resourceId: tenantId,
      resourceName: 'standing approvals',
    });
    return { on };
  });
};

export async function isOn(q: Queries, tenantId: string): Promise<boolean> {
  const row = await q
    .selectFrom('svc_approval_switch')
    .select('isOn')
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row?.isOn ?? false;
}

/** Throws Conflict while standing approvals are off. */
export async function demandOn(q: Queries, tenantId: string): Promise<void> {
  if (await isOn(q, tenantId)) return;
  throw new Conflict('Standing approvals are off in this tenant; an administrator turns them on');
}
