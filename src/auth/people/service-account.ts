import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { created } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenants, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, MaybeTime, named, stored } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Conflict, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import type { ById } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { audit, entriesOf } from '../audit/audit.ts';
import { codesOfRole, demandAll } from '../permission/permission.ts';
import { bindRole, findRole, join } from './account.ts';
import { setEnabled as switchPrincipal } from './principal.ts';
import { removeAccount } from './remove-account.ts';

/** An account for a program; it belongs to exactly one tenant. */
export const ServiceAccount = stored('ServiceAccount', {
  principalId: AnswerId,
  tenantId: AnswerId,
  serviceAccountName: z.string().meta({ examples: ['shift-report'] }),
  ownerPrincipalId: AnswerId.describe('The user who answers for it'),
  purpose: z.string().meta({ examples: ['Writes the report of each shift'] }),
  expireTime: MaybeTime,
  lastUsedTime: MaybeTime,
  credentialPolicyExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
type ServiceAccount = z.output<typeof ServiceAccount.schema>;

export const AddServiceAccount = z.object({
  serviceAccountName: Name,
  purpose: Text(512).default(''),
  expireTime: z.iso.datetime({ offset: true }).optional(),
  roleCode: Text(64).default('agent'),
  remark: Text(512).default(''),
});
type AddServiceAccount = z.output<typeof AddServiceAccount>;

const entry = entriesOf('SERVICE_ACCOUNT', 'serviceAccountName');

/**
 * Creates a service account in exactly this tenant, with one role; returns its id. Throws Conflict (409)
 * for a taken name, Unprocessable (422) for an unknown role, and Forbidden (403) for a role with
 * permissions the caller lacks.
 */
export const add: Operation<AddServiceAccount, string> = (app, caller, given) => {
  const { tenantId } = caller;
  const { serviceAccountName, purpose, expireTime, roleCode, remark } = given;
  const adding = acrossTenants(app.db, 'account', async (q) => {
    const role = await findRole(q, tenantId, roleCode);
    if (!role) throw new Unprocessable('The role does not exist');
    demandAll(caller, await codesOfRole(q, role.id));
    const principal = await q
      .insertInto('svc_principal')
      .values({
        principalType: 'SERVICE_ACCOUNT',
        principalName: serviceAccountName,
        displayName: serviceAccountName,
        remark,
        ...created(app, caller),
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
    const id = await addRow(q, app, caller, 'svc_service_account', {
      principalId: principal.id,
      serviceAccountName,
      ownerPrincipalId: caller.principalId,
      purpose,
      expireTime: expireTime === undefined ? null : new Date(expireTime),
      remark,
    });
    await audit(app, q, caller, entry('CREATE', { id, serviceAccountName }));
    return id;
  });
  return conflictIfTaken('service account', adding, 'The service account name is taken');
};

/** One service account of the tenant; NotFound (404). */
export const byId: Operation<ById, ServiceAccount> = byIdIn(
  'svc_service_account',
  ServiceAccount.of,
);

export const ListServiceAccounts = z.object({
  page: Page,
  serviceAccountName: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ListServiceAccounts = z.output<typeof ListServiceAccounts>;

/** The tenant's service accounts, newest first. */
export const page: Operation<ListServiceAccounts, Paged<ServiceAccount>> = (
  app,
  { tenantId },
  asked,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    const found = narrowed(
      q.selectFrom('svc_service_account').selectAll().where('tenantId', '=', tenantId),
      asked,
      { like: ['serviceAccountName'], equal: ['enableFlag'] },
    );
    return pageOf(found.orderBy('id', 'desc'), asked.page, ServiceAccount.of);
  });

/** Throws Forbidden (403) for an account with permissions the caller lacks, as `disable` does. */
export const enable: Operation<ById, true> = (app, caller, { id }) =>
  setEnabled(app, caller, id, 'ENABLE');

/** Its tokens are refused at once. */
export const disable: Operation<ById, true> = (app, caller, { id }) =>
  setEnabled(app, caller, id, 'DISABLE');

async function setEnabled(
  app: App,
  caller: Caller,
  id: string,
  action: 'ENABLE' | 'DISABLE',
): Promise<true> {
  await inTenant(app.db, caller.tenantId, async (q) => {
    const found = await rowOf(q, 'svc_service_account', caller.tenantId, id);
    await switchPrincipal(app, q, caller, found.principalId, action);
    await audit(app, q, caller, entry(action, found));
  });
  return true;
}

/**
 * Deletes an account with its membership and roles; Forbidden (403) for one with permissions the caller
 * lacks, Conflict (409) while an OAuth client uses it.
 */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const account = await rowOf(q, 'svc_service_account', tenantId, id);
    await removeAccount(q, caller, account.principalId);
    const client = await q
      .selectFrom('svc_oauth_client')
      .select('clientName')
      .where('tenantId', '=', tenantId)
      .where('serviceAccountPrincipalId', '=', account.principalId)
      .executeTakeFirst();
    if (client)
      throw new Conflict(`The OAuth client ${quoted(client.clientName)} uses this account`);
    await deleteRow(q, 'svc_service_account', tenantId, id);
    await audit(app, q, caller, entry('DELETE', account));
  });
  return true;
};
