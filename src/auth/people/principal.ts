import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { touched } from '../../db/stamp.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, MaybeTime, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { type ById, type ByIds, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../audit/audit.ts';
import { keepingAnAdmin } from './last-admin.ts';
import { demandMayChange, requireMember, revokeIn } from './member.ts';

export const PrincipalType = z.enum(['USER', 'SERVICE_ACCOUNT', 'SYSTEM']);

const SourceType = z.enum(['LOCAL', 'EXTERNAL', 'SYSTEM']);

/** A user, a service account or the platform itself, as permissions and audit logs know it. */
export const Principal = stored('Principal', {
  principalType: PrincipalType,
  principalName: z.string().meta({ examples: ['anna.berg'] }),
  displayName: z.string().meta({ examples: ['Anna Berg'] }),
  sourceType: SourceType,
  enableFlag: named(EnableFlag),
  lockedFlag: named(EnableFlag).describe('DISABLE: no login, no token and no key works'),
  lastLoginTime: MaybeTime,
  principalExt: AnswerExt,
});
type Principal = z.output<typeof Principal.schema>;

export const PrincipalQuery = input({
  page: Page,
  principalType: PrincipalType.optional(),
  principalName: Text(64).optional(),
  displayName: Text(64).optional(),
  sourceType: SourceType.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type PrincipalQuery = z.infer<typeof PrincipalQuery>;

const members = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_principal')
    .innerJoin('svc_tenant_membership as membership', 'membership.principalId', 'svc_principal.id')
    .selectAll('svc_principal')
    .where('membership.tenantId', '=', tenantId);

/** One principal of the tenant; NotFound (404). */
export const byId: Operation<ById, Principal> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Principal.of(await requireMember(q, tenantId, id)));

/** The principals of the tenant among the ids, ascending by id. */
export const byIds: Operation<ByIds, Principal[]> = async (app, { tenantId }, { ids }) => {
  if (ids.length === 0) return [];
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    members(q, tenantId).where('svc_principal.id', 'in', ids).orderBy('svc_principal.id').execute(),
  );
  return rows.map(Principal.of);
};

/** The principals of the tenant, newest first. */
export const page: Operation<PrincipalQuery, Paged<Principal>> = (app, { tenantId }, asked) =>
  inOneTrip(app.db, tenantId, (q) => {
    const { principalType } = asked;
    let found = narrowed(members(q, tenantId).orderBy('svc_principal.id', 'desc'), asked, {
      like: ['principalName', 'displayName'],
      equal: ['sourceType', 'enableFlag'],
    });
    // A membership has this column too.
    if (principalType) found = found.where('svc_principal.principalType', '=', principalType);
    return pageOf(found, asked.page, Principal.of);
  });

export const enable: Operation<ById, true> = (app, caller, { id }) =>
  switchPrincipal(app, caller, id, 'ENABLE');

/** Its tokens are refused at once; 409 for the caller itself and for the last admin. */
export const disable: Operation<ById, true> = (app, caller, { id }) =>
  switchPrincipal(app, caller, id, 'DISABLE');

async function switchPrincipal(
  app: App,
  caller: Caller,
  id: string,
  to: keyof typeof EnableFlag,
): Promise<true> {
  await inTenant(app.db, caller.tenantId, async (q) => {
    const principal = await requireMember(q, caller.tenantId, id);
    await setEnabled(app, q, caller, id, to);
    await audit(app, q, caller, {
      action: to,
      resourceType: 'PRINCIPAL',
      resourceId: id,
      resourceName: principal.principalName,
    });
  });
  return true;
}

/** Enables or disables a principal with its profile or account, in the caller's transaction. */
export async function setEnabled(
  app: App,
  q: Queries,
  caller: Caller,
  principalId: string,
  to: keyof typeof EnableFlag,
): Promise<void> {
  if (to === 'DISABLE' && principalId === caller.principalId) {
    throw new Conflict('You cannot disable yourself');
  }
  const tenants = await demandMayChange(q, caller, principalId);
  await keepingAnAdmin(q, tenants, async () => {
    const change = { enableFlag: EnableFlag[to], ...touched(app, caller) };
    await q.updateTable('svc_principal').set(change).where('id', '=', principalId).execute();
    await q.updateTable('svc_user').set(change).where('principalId', '=', principalId).execute();
    await acrossTenantsWithin(q, 'account', () =>
      q
        .updateTable('svc_service_account')
        .set(change)
        .where('principalId', '=', principalId)
        .execute(),
    );
  });
  if (to === 'DISABLE') await revokeIn(app, q, tenants, principalId);
}
