import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { PLATFORM, WILDCARD } from './permission.ts';

/** The part of the auth center that every role reads; only admins read logins, roles and audit. */
const OWN_IDENTITY = /^svc-center-auth:(tenant|user|menu|dictionary_for_auth):(list|get)$/;
const reads = (code: string): boolean =>
  /:(list|get)$/.test(code) && (!code.startsWith('svc-center-auth:') || OWN_IDENTITY.test(code));

/** Beyond reading: confirm that an alarm was seen, report an event, attach a file. */
const NOTES: ReadonlySet<string> = new Set([
  'svc-center-data:alarm:confirm',
  'svc-center-data:event_history:add',
  'svc-center-agentic:attachment:add',
]);

/** Beyond a viewer: ask a device, propose a write, firmware or an onboarding, withdraw what it proposed. An agent never confirms. */
const PROPOSES: ReadonlySet<string> = new Set([
  'svc-center-data:point_command:read',
  'svc-center-data:point_command:write',
  'svc-center-agentic:action:withdraw',
  'svc-center-agentic:firmware_rollout:propose',
  'svc-center-agentic:alarm:propose',
  'svc-center-agentic:onboarding:propose',
]);
const DECIDES: ReadonlySet<string> = new Set([
  'svc-center-agentic:action:confirm',
  'svc-center-agentic:action:reject',
]);

const viewer = (code: string): boolean => reads(code) || NOTES.has(code);
const agent = (code: string): boolean => viewer(code) || PROPOSES.has(code);
const operator = (code: string): boolean =>
  agent(code) ||
  DECIDES.has(code) ||
  /^svc-center-manager:\w+:(add|update)$/.test(code) ||
  code === 'svc-center-agentic:manual:add' ||
  /^svc-center-agentic:session:\w+$/.test(code);

/** The platform's roles (tenant_id 0): every tenant may bind them, no tenant may change them. */
export const BUILT_IN_ROLES: Readonly<Record<string, (code: string) => boolean>> = {
  admin: (code) => code === WILDCARD,
  operator: (code) => code !== WILDCARD && operator(code),
  viewer: (code) => code !== WILDCARD && viewer(code),
  agent: (code) => code !== WILDCARD && agent(code),
};

/**
 * Adds every permission code as a resource and binds the built-in roles to the codes they hold. Safe to run
 * at each start and from several processes at once; codes of centers that do not run here stay.
 */
export async function registerResources(app: App, codes: readonly string[]): Promise<void> {
  await acrossTenants(app.db, 'seed', (q) => bindBuiltInRoles(q, [...codes, WILDCARD]));
}

export async function bindBuiltInRoles(q: Queries, codes: readonly string[]): Promise<void> {
  await q
    .insertInto('svc_role')
    .values(
      // Sorted, as below, so that concurrent processes take their locks in the same order.
      Object.keys(BUILT_IN_ROLES)
        .toSorted()
        .map((code) => ({ roleCode: code, roleName: code, tenantId: PLATFORM })),
    )
    .onConflict((conflict) => conflict.columns(['tenantId', 'roleCode']).doNothing())
    .execute();
  const wanted = [...new Set(codes)].toSorted();
  await q
    .insertInto('svc_resource')
    .values(
      wanted.map((code) => ({
        resourceCode: code,
        resourceName: code,
        serviceName: code === WILDCARD ? '' : (code.split(':')[0] ?? ''),
      })),
    )
    .onConflict((conflict) => conflict.columns(['resourceCode', 'serviceName']).doNothing())
    .execute();
  const roles = await q
    .selectFrom('svc_role')
    .select(['id', 'roleCode'])
    .where('tenantId', '=', PLATFORM)
    .orderBy('roleCode')
    .execute();
  const resources = await q
    .selectFrom('svc_resource')
    .select(['id', 'resourceCode'])
    .where('resourceCode', 'in', wanted)
    .orderBy('resourceCode')
    .execute();
  for (const role of roles) {
    const holds = BUILT_IN_ROLES[role.roleCode];
    if (holds) await bind(q, role.id, resources, holds);
  }
}

/** Binds the codes the role holds and unbinds those an earlier version bound. */
async function bind(
  q: Queries,
  roleId: string,
  resources: readonly { id: string; resourceCode: string }[],
  holds: (code: string) => boolean,
): Promise<void> {
  const held = resources.filter(({ resourceCode }) => holds(resourceCode));
  const refused = resources.filter(({ resourceCode }) => !holds(resourceCode));
  if (held.length > 0) {
    await q
      .insertInto('svc_role_resource_bind')
      .values(held.map(({ id }) => ({ roleId, resourceId: id })))
      .onConflict((conflict) => conflict.columns(['roleId', 'resourceId']).doNothing())
      .execute();
  }
  if (refused.length > 0) {
    await q
      .deleteFrom('svc_role_resource_bind')
      .where('roleId', '=', roleId)
      .where(
        'resourceId',
        'in',
        refused.map(({ id }) => id),
      )
      .execute();
  }
}
