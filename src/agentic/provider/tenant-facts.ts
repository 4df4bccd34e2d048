import { sql } from 'kysely';

import { KNOWN_MS } from '../../auth/permission/present.ts';
import { basisNow } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { type ModelRows, modelRowsOf } from './usable-models.ts';

const MAX_TENANTS = 1_000;

/** What every turn of a tenant needs and seldom changes. */
export type TenantFacts = { models: ModelRows; hasBudgets: boolean };

type Kept = { version: string; facts: TenantFacts };

const TENANT_FACTS = slot((clock) => new TtlCache<Kept>(clock, KNOWN_MS, MAX_TENANTS));

const anyBudget = statement((q, { tenantId }: { tenantId: string }) =>
  q
    .selectFrom('svc_chat_budget')
    .select(sql<boolean>`true`.as('isThere'))
    .where('tenantId', '=', tenantId)
    .limit(1)
    .compile(),
);

/** The version of the tenant that this call relies on; null: none. */
function versionNow(tenantId: string): string | null {
  const relied = basisNow();
  return relied?.tenantId === tenantId ? relied.version : null;
}

/**
 * The facts as they were read at the version that this call relies on: a change of them raises it
 * (sql/0256_version.sql). Null: they have to be read. A trip that takes them from here has to ask for something
 * else: it compares the version.
 */
export function rememberedFacts(app: App, tenantId: string): TenantFacts | null {
  const kept = app.of(TENANT_FACTS).get(tenantId);
  return kept && kept.version === versionNow(tenantId) ? kept.facts : null;
}

/** Reads the facts, and keeps them where the call relies on a version. */
export async function readFacts(app: App, q: Queries, tenantId: string): Promise<TenantFacts> {
  // The trip compares it before it reads: what changes after that raises it, so these facts are never taken again.
  const version = versionNow(tenantId);
  const [models, budgets] = await Promise.all([
    modelRowsOf(q, tenantId),
    anyBudget(q, { tenantId }),
  ]);
  const facts = { models, hasBudgets: budgets.length > 0 };
  if (version !== null) app.of(TENANT_FACTS).set(tenantId, { version, facts });
  return facts;
}
