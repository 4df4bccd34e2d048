import type { Queries } from '../../db/connect.ts';
import { momentAcrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { type AgentStop, stopsIn } from './mode.ts';
import { KNOWN_MS, versionOf, VERSIONS } from './present.ts';

const MAX_ENTRIES = 10_000;
/** Tenant id of the platform's roles: every tenant may bind them, no tenant may change them. */
export const PLATFORM = '0';
export const WILDCARD = '*';

const NONE: ReadonlySet<string> = new Set();

/** What a principal may do, with the version of the tenant at which that was read. */
type Rights = {
  codes: ReadonlySet<string>;
  timezone: string;
  /** What stops agents in the tenant. */
  stops: readonly AgentStop[];
  version: string | undefined;
};

const PERMISSIONS = slot((clock) => ({
  known: new TtlCache<Rights>(clock, KNOWN_MS, MAX_ENTRIES),
  loading: new Map<string, Promise<Rights>>(),
}));

/**
 * The permission codes a principal holds in a tenant: from memory when they were read at `version`, which is
 * the last one seen unless given (docs/specification/authorization.md 4). Fails closed: a failed load returns
 * the empty set and is not cached (5).
 */
export async function permissionsOf(
  app: App,
  tenantId: string,
  principalId: string,
  version = app.of(VERSIONS).get(tenantId),
): Promise<Rights> {
  const { known, loading } = app.of(PERMISSIONS);
  const key = `${tenantId}:${principalId}`;
  const cached = known.get(key);
  if (cached && cached.version === version) return cached;
  const running = loading.get(key);
  if (running) return running;
  const load = momentAcrossTenants(app.db, 'permission', (q) =>
    Promise.all([
      versionOf(app, q, tenantId),
      loadCodes(q, tenantId, principalId),
      q.selectFrom('svc_tenant').select('timezone').where('id', '=', tenantId).executeTakeFirst(),
      stopsIn(q, tenantId, principalId),
    ]),
  ).then(
    ([at, codes, tenant, stops]) => {
      const rights = { codes, timezone: tenant?.timezone ?? UTC, stops, version: at };
      known.set(key, rights);
      return rights;
    },
    (error: unknown) => {
      app.log.warn({ err: error, tenantId, principalId }, 'permissions not loaded, none granted');
      return { codes: NONE, timezone: UTC, stops: [], version };
    },
  );
  loading.set(key, load);
  try {
    return await load;
  } finally {
    loading.delete(key);
  }
}

/**
 * Principal and tenant → roles → resources; a resource is a permission code
 * (docs/specification/authorization.md 1).
 */
export async function loadCodes(
  q: Queries,
  tenantId: string,
  principalId: string,
): Promise<ReadonlySet<string>> {
  const rows = await q
    .selectFrom('svc_role_principal_bind')
    .innerJoin('svc_role', 'svc_role.id', 'svc_role_principal_bind.roleId')
    .innerJoin('svc_role_resource_bind', 'svc_role_resource_bind.roleId', 'svc_role.id')
    .innerJoin('svc_resource', 'svc_resource.id', 'svc_role_resource_bind.resourceId')
    .select('svc_resource.resourceCode')
    .distinct()
    .where('svc_role_principal_bind.tenantId', '=', tenantId)
    .where('svc_role_principal_bind.principalId', '=', principalId)
    .where('svc_role.tenantId', 'in', [tenantId, PLATFORM])
    .where('svc_role.enableFlag', '=', EnableFlag.ENABLE)
    .where('svc_resource.enableFlag', '=', EnableFlag.ENABLE)
    .execute();
  return new Set(rows.map((row) => row.resourceCode));
}

/**
 * Throws Forbidden (403) when a principal of the caller's tenant holds permissions there that the caller
 * lacks: changing a principal, or its clients and keys, needs all its permissions.
 */
export async function demandRightsOf(
  q: Queries,
  caller: Caller,
  principalId: string,
): Promise<void> {
  demandAll(caller, await loadCodes(q, caller.tenantId, principalId));
}

/** The codes of one role, to check that a caller does not grant more than it holds. */
export async function codesOfRole(q: Queries, roleId: string): Promise<ReadonlySet<string>> {
  const rows = await q
    .selectFrom('svc_role_resource_bind')
    .innerJoin('svc_resource', 'svc_resource.id', 'svc_role_resource_bind.resourceId')
    .select('svc_resource.resourceCode')
    .where('svc_role_resource_bind.roleId', '=', roleId)
    .execute();
  return new Set(rows.map((row) => row.resourceCode));
}

/** Whether the caller holds `code`, e.g. `svc-center-data:point_command:write`, or the wildcard. */
export function allows(caller: Caller, code: string): boolean {
  return caller.permissions.has(WILDCARD) || caller.permissions.has(code);
}

/** Throws Forbidden (403) unless the caller holds `code`. */
export function demand(caller: Caller, code: string): void {
  if (!allows(caller, code)) throw new Forbidden();
}

/** Throws Forbidden (403) when `codes` contains a permission the caller lacks. */
export function demandAll(caller: Caller, codes: ReadonlySet<string>): void {
  for (const code of codes) demand(caller, code);
}
