import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { acrossTenants, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';

const MAX_ORIGINS = 20;
/** Of all tenants together, as far as browsers are answered. */
const MAX_NAMED = 10_000;
/** How long other processes go on with the origins before a change. */
const CACHED_MS = 5_000;

/** https anywhere, http on this machine only: exactly as browsers write it, without a path. */
const Origin = Text(255).refine(
  isOrigin,
  'must be an origin: https://app.example, or http://localhost:3000',
);

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isHere));
}

export const ChatOrigins = z
  .object({
    origins: z.array(z.string().meta({ examples: ['https://app.example'] })),
  })
  .meta({ id: 'ChatOrigins' });
type ChatOrigins = z.output<typeof ChatOrigins>;
export const SetOrigins = input({ origins: z.array(Origin).max(MAX_ORIGINS) });

/** The origins of web pages that the tenant lets call its chat, models and attachments; none at first. */
export const get: Operation<unknown, ChatOrigins> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_chat_origin')
      .select('origin')
      .where('tenantId', '=', tenantId)
      .orderBy('origin')
      .limit(MAX_ORIGINS)
      .execute();
    return { origins: rows.map(({ origin }) => origin) };
  });

/** Replaces them; other processes follow within five seconds. */
export const set: Operation<z.output<typeof SetOrigins>, ChatOrigins> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  const origins = [...new Set(given.origins)].toSorted();
  await inTenant(app.db, tenantId, async (q) => {
    await q.deleteFrom('svc_chat_origin').where('tenantId', '=', tenantId).execute();
    if (origins.length > 0)
      await q
        .insertInto('svc_chat_origin')
        .values(origins.map((origin) => ({ tenantId, origin })))
        .execute();
    await audit(app, q, caller, {
      action: 'UPDATE',
      resourceType: 'CHAT_ORIGIN',
      resourceId: tenantId,
      resourceName: origins.join(' ').slice(0, 200),
    });
  });
  app.of(CHAT_ORIGINS).delete(ALL);
  return { origins };
};

const ALL = 'all';
type Named = ReadonlyMap<string, ReadonlySet<string>>;

/** Origin → the tenants that named it. */
const CHAT_ORIGINS = slot((clock): TtlCache<Promise<Named>> => new TtlCache(clock, CACHED_MS, 1));

/** The tenants that named this origin; a page has said nothing yet of the tenant that it is going to call. */
export async function tenantsNaming(app: App, origin: string): Promise<ReadonlySet<string>> {
  const chatOrigins = app.of(CHAT_ORIGINS);
  const known = chatOrigins.get(ALL);
  if (known) return (await known).get(origin) ?? new Set();
  const loading = named(app);
  chatOrigins.set(ALL, loading);
  loading.catch(() => chatOrigins.delete(ALL));
  return (await loading).get(origin) ?? new Set();
}

const named = (app: App): Promise<Named> =>
  acrossTenants(app.db, 'preflight', async (q) => {
    const rows = await q
      .selectFrom('svc_chat_origin')
      .select(['tenantId', 'origin'])
      .orderBy('id')
      .limit(MAX_NAMED)
      .execute();
    return new Map(
      [...Map.groupBy(rows, ({ origin }) => origin)].map(([origin, all]) => [
        origin,
        new Set(all.map(({ tenantId }) => tenantId)),
      ]),
    );
  });
