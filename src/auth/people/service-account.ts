import { z } from 'zod';

import type { App, Caller } from '../../app.ts';
import { Conflict, NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { offset, Page, paged, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import { quoted } from '../../core/sentence/voice.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import { audit } from '../audit.ts';
import { orConflict } from '../or-conflict.ts';
import { codesOfRole, demandAll } from '../rights/permission.ts';
import { bindRole, findRole, join } from './account.ts';
import { forgetPrincipal } from './member.ts';
import { setEnabled as switchPrincipal } from './principal.ts';
import { removeAccount } from './remove-account.ts';

export const AddServiceAccount = z.object({
  serviceAccountName: Name,
  purpose: Text(512).default(''),
  expireTime: z.iso.datetime({ offset: true }).optional(),
  roleCode: Text(64).default('agent'),
  remark: Text(512).default(''),
});

/**
 * Creates a service account in exactly this tenant, with one role; returns its id. Throws Conflict (409)
 * for a taken name, Unprocessable (422) for an unknown role, and Forbidden (403) for a role with
 * permissions the caller lacks.
 */
export async function add(
  app: App,
  caller: Caller,
  input: z.output<typeof AddServiceAccount>,
): Promise<string> {
  const { tenantId } = caller;
  const now = new Date(app.clock.now());
  const { serviceAccountName, purpose, roleCode, remark } = input;
  const stamps = {
    remark,
    creatorId: caller.principalId,
    creatorName: caller.name,
    createTime: now,
    operatorId: caller.principalId,
    operatorName: caller.name,
    operateTime: now,
  };
  return orConflict('The service account name is taken', () =>
    acrossTenants(app.db, 'account', async (q) => {
      const role = await findRole(q, tenantId, roleCode);
      if (!role) throw new Unprocessable('The role does not exist');
      demandAll(caller, await codesOfRole(q, role.id));
      const principal = await q
        .insertInto('svc_principal')
        .values({
          principalType: 'SERVICE_ACCOUNT',
          principalName: serviceAccountName,
          displayName: serviceAccountName,
          ...stamps,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const member = {
        tenantId,
        principalId: principal.id,
        principalType: 'SERVICE_ACCOUNT',
      } as const;
      await join(app, q, member);
      await bindRole(app, q, { ...member, roleCode });
      const { id } = await q
        .insertInto('svc_service_account')
        .values({
          principalId: principal.id,
          tenantId,
          serviceAccountName,
          ownerPrincipalId: caller.principalId,
          purpose,
          expireTime: input.expireTime === undefined ? null : new Date(input.expireTime),
          ...stamps,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await audit(app, q, caller, entry('CREATE', { id, serviceAccountName }));
      return id;
    }),
  );
}

export const ById = z.object({ id: Id });
type ById = z.output<typeof ById>;

/** One service account of the tenant; NotFound (404). */
export const byId = (app: App, caller: Caller, { id }: ById) =>
  inTenant(app.db, caller.tenantId, async (q) => shown(await required(q, caller, id)));

export const ListServiceAccounts = z.object({
  page: Page,
  serviceAccountName: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
});

/** The tenant's service accounts, newest first. */
export function page(
  app: App,
  caller: Caller,
  { page: asked, serviceAccountName, enableFlag }: z.output<typeof ListServiceAccounts>,
): Promise<Paged<ReturnType<typeof shown>>> {
  return inTenant(app.db, caller.tenantId, async (q) => {
    let matching = q.selectFrom('svc_service_account').where('tenantId', '=', caller.tenantId);
    if (serviceAccountName) {
      const pattern = `%${serviceAccountName.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      matching = matching.where('serviceAccountName', 'ilike', pattern);
    }
    if (enableFlag !== undefined) matching = matching.where('enableFlag', '=', enableFlag);
    const { total } = await matching
      .select((row) => row.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await matching
      .selectAll()
      .orderBy('id', 'desc')
      .limit(asked.size)
      .offset(offset(asked))
      .execute();
    return paged(asked, Number(total), rows.map(shown));
  });
}

/** Throws Forbidden (403) for an account with permissions the caller lacks, as `disable` does. */
export const enable = (app: App, caller: Caller, { id }: ById): Promise<boolean> =>
  setEnabled(app, caller, id, 'ENABLE');

/** Its tokens are refused within a second. */
export const disable = (app: App, caller: Caller, { id }: ById): Promise<boolean> =>
  setEnabled(app, caller, id, 'DISABLE');

async function setEnabled(
  app: App,
  caller: Caller,
  id: string,
  action: 'ENABLE' | 'DISABLE',
): Promise<boolean> {
  const { principalId } = await inTenant(app.db, caller.tenantId, async (q) => {
    const found = await required(q, caller, id);
    await switchPrincipal(app, q, caller, found.principalId, action);
    await audit(app, q, caller, entry(action, found));
    return found;
  });
  forgetPrincipal(app, [caller.tenantId], principalId);
  return true;
}

/**
 * Deletes an account with its membership and roles; Forbidden (403) for one with permissions the caller
 * lacks, Conflict (409) while an OAuth client uses it.
 */
export async function remove(app: App, caller: Caller, { id }: ById): Promise<boolean> {
  const { tenantId } = caller;
  const { principalId } = await inTenant(app.db, tenantId, async (q) => {
    const account = await required(q, caller, id);
    await removeAccount(q, caller, account.principalId);
    const client = await q
      .selectFrom('svc_oauth_client')
      .select('clientName')
      .where('tenantId', '=', tenantId)
      .where('serviceAccountPrincipalId', '=', account.principalId)
      .executeTakeFirst();
    if (client)
      throw new Conflict(`The OAuth client ${quoted(client.clientName)} uses this account`);
    await q
      .deleteFrom('svc_service_account')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await audit(app, q, caller, entry('DELETE', account));
    return account;
  });
  forgetPrincipal(app, [tenantId], principalId);
  return true;
}

type Row = Awaited<ReturnType<typeof required>>;

/** An account of this tenant; NotFound (404) for a missing one or another tenant's. */
export async function required(q: Queries, caller: Caller, id: string) {
  const account = await q
    .selectFrom('svc_service_account')
    .selectAll()
    .where('tenantId', '=', caller.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!account) throw new NotFound('Service account');
  return account;
}

const shown = (row: Row) => ({ ...row, enableFlag: nameOf(EnableFlag, row.enableFlag) });

const entry = <A extends string>(
  action: A,
  { id, serviceAccountName }: Pick<Row, 'id' | 'serviceAccountName'>,
) => ({
  action,
  resourceType: 'SERVICE_ACCOUNT',
  resourceId: id,
  resourceName: serviceAccountName,
});
