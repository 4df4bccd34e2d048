import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { TenantTable } from '../../db/schema/identity.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsIf, acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Code, Name, Text } from '../../kernel/input/text.ts';
import { TimeZone } from '../../kernel/sentence/time-zone.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { demandAll, WILDCARD } from '../permission/permission.ts';
import {
  DEFAULT_TENANT,
  demandPlatform,
  isOfPlatform,
  isPlatform,
} from '../permission/platform.ts';
import { bindRole, join } from './account.ts';
import { removeTenant } from './remove-tenant.ts';

export const Tenant = stored('Tenant', {
  tenantName: z.string().meta({ examples: ['North plant'] }),
  tenantCode: z.string().meta({ examples: ['north'] }),
  tenantExt: AnswerExt,
  timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
  enableFlag: named(EnableFlag),
});
type Tenant = z.output<typeof Tenant.schema>;

/** A tenant as an entry of a selection list: `value` is its id. */
export const TenantEntry = z
  .object({
    type: z.literal('TENANT'),
    label: z.string().meta({ examples: ['North plant'] }),
    value: AnswerId,
    disabled: z.boolean(),
  })
  .meta({ id: 'TenantEntry' });
type TenantEntry = z.output<typeof TenantEntry>;

export const ByCode = input({ code: Text(64).meta({ examples: ['plant-north'] }) });
export const AddTenant = input({
  ...shared,
  tenantName: Name,
  tenantCode: Code,
  tenantExt: Ext.optional(),
  timezone: TimeZone.optional(),
});
export const UpdateTenant = input({
  ...shared,
  id: Id,
  tenantName: Name.optional(),
  tenantCode: Text(64).optional(),
  tenantExt: Ext.optional(),
  timezone: TimeZone.optional(),
});
export const TenantQuery = input({
  page: Page,
  tenantName: Text(64).optional(),
  tenantCode: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
});

type Row = Selectable<TenantTable>;

const entry = entriesOf('TENANT', 'tenantCode');

/** The caller's own tenant, or any for the platform tenant; NotFound for every other. */
async function required(q: Queries, caller: Caller, id: string): Promise<Row> {
  const find = () => q.selectFrom('svc_tenant').selectAll().where('id', '=', id).executeTakeFirst();
  if (id === caller.tenantId) return found(await find());
  const isAllowed = await isPlatform(q, caller);
  return found(isAllowed ? await acrossTenantsWithin(q, 'account', find) : undefined);
}

function found(tenant: Row | undefined): Row {
  if (!tenant) throw new NotFound('Tenant');
  return tenant;
}

const visible = (q: Queries, caller: Caller) =>
  q
    .selectFrom('svc_tenant')
    .selectAll()
    .where((row) => row.or([row('id', '=', caller.tenantId), isOfPlatform(caller)]));

/** Reads of all tenants for the platform tenant, else of the caller's own. */
const readVisible = <T>(
  app: App,
  caller: Caller,
  read: (tenants: ReturnType<typeof visible>) => Promise<T>,
): Promise<T> =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const [, answer] = await Promise.all([
      acrossTenantsIf(q, 'account', isOfPlatform(caller)),
      read(visible(q, caller)),
    ]);
    return answer;
  });

/** The tenant that the caller works in. */
export const own: Operation<unknown, Tenant> = (app, caller) =>
  inOneTrip(app.db, caller.tenantId, async (q) =>
    Tenant.of(await required(q, caller, caller.tenantId)),
  );

/** The caller's own tenant, or any for the platform tenant; NotFound (404) for every other. */
export const byId: Operation<ById, Tenant> = (app, caller, { id }) =>
  readVisible(app, caller, async (tenants) =>
    Tenant.of(found(await tenants.where('id', '=', id).executeTakeFirst())),
  );

/** As `byId`, by code. */
export const byCode: Operation<z.infer<typeof ByCode>, Tenant> = (app, caller, { code }) =>
  readVisible(app, caller, async (tenants) =>
    Tenant.of(found(await tenants.where('tenantCode', '=', code).executeTakeFirst())),
  );

/** All tenants for the platform tenant, else the caller's own; newest first. */
export const page: Operation<z.infer<typeof TenantQuery>, Paged<Tenant>> = (app, caller, asked) =>
  readVisible(app, caller, (tenants) => {
    const wanted = narrowed(tenants.orderBy('id', 'desc'), asked, {
      like: ['tenantName', 'tenantCode'],
      equal: ['enableFlag'],
    });
    return pageOf(wanted, asked.page, Tenant.of);
  });

/** Names of the tenants the caller may see, for a selection list. */
export const dictionary: Operation<unknown, TenantEntry[]> = (app, caller) =>
  readVisible(app, caller, async (tenants) => {
    const rows = await tenants.orderBy('id').limit(500).execute();
    return rows.map((tenant) => ({
      type: 'TENANT',
      label: tenant.tenantName,
      value: tenant.id,
      disabled: tenant.enableFlag !== EnableFlag.ENABLE,
    }));
  });

/**
 * Adds a tenant, for the platform tenant only (403). The caller becomes its member and first admin, so
 * needs all permissions, and adds further members after logging in there.
 */
export const add: Operation<z.infer<typeof AddTenant>, string> = (app, caller, given) => {
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    demandAll(caller, new Set([WILDCARD]));
    if (caller.principalType !== 'USER') throw new Forbidden('Only a person can head a tenant');
    const id = await acrossTenantsWithin(q, 'account', async () => {
      const tenant = await q
        .insertInto('svc_tenant')
        .values({ ...given, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow();
      const head = { tenantId: tenant.id, principalId: caller.principalId } as const;
      await join(app, q, { ...head, principalType: 'USER' });
      await bindRole(app, q, { ...head, principalType: 'USER', roleCode: 'admin' });
      return tenant.id;
    });
    await audit(app, q, caller, entry('CREATE', { id, tenantCode: given.tenantCode }));
    return id;
  });
  return conflictIfTaken('tenant', adding);
};

/**
 * Changes the own tenant, or any for the platform tenant; the code is fixed (422), enabling or disabling
 * needs all permissions (403).
 */
export const update: Operation<z.infer<typeof UpdateTenant>, void> = async (app, caller, given) => {
  const { id, tenantCode, ...change } = given;
  await inTenant(app.db, caller.tenantId, async (q) => {
    const tenant = await required(q, caller, id);
    if (tenantCode !== undefined && tenantCode !== tenant.tenantCode) {
      throw new Unprocessable('The tenant code cannot be changed');
    }
    // Affects every member, admins included.
    if (change.enableFlag !== undefined && change.enableFlag !== tenant.enableFlag)
      demandAll(caller, new Set([WILDCARD]));
    if (change.enableFlag === EnableFlag.DISABLE) refuseOwnOrDefault(caller, tenant, 'disabled');
    await acrossTenantsWithin(q, 'account', () =>
      q
        .updateTable('svc_tenant')
        .set({ ...change, ...touched(app, caller) })
        .where('id', '=', tenant.id)
        .execute(),
    );
    await audit(app, q, caller, { ...entry('UPDATE', tenant), detail: changesOf(tenant, change) });
  });
};

/** Deletes an empty tenant, for the platform tenant's admins only (403); 409 names what is left in it. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const tenant = await required(q, caller, id);
    demandAll(caller, new Set([WILDCARD]));
    refuseOwnOrDefault(caller, tenant, 'deleted');
    await removeTenant(q, id, caller.tenantId);
    await audit(app, q, caller, entry('DELETE', tenant));
  });
  return true;
};

function refuseOwnOrDefault(caller: Caller, { id, tenantCode }: Row, what: string): void {
  if (id === caller.tenantId || tenantCode === DEFAULT_TENANT) {
    throw new Conflict(`The own tenant and the platform tenant cannot be ${what}`);
  }
}
