import { randomUUID } from 'node:crypto';

import { relyingOn } from '../../db/basis.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { type LatestValue, latestOf } from './latest-value.ts';
import { keyOf, type Pair } from './pair.ts';

/** Between two reads for one tenant, so a point is told four times a second at most: what it is by then. */
const EACH_MS = 250;
const RETRY_MS = 1_000;
/** Points of one read. */
const BATCH = 5_000;
const PREFETCH = 4;

type Reader = (values: readonly LatestValue[]) => void;

/** Of one tenant: what is followed in this process is read once for all its readers. */
type TenantValues = {
  /** By `device:point`. */
  readers: Map<string, Set<Reader>>;
  /** Points that have changed since they were read. */
  due: Set<string>;
  isReading: boolean;
};

const noneOfTenant = (): TenantValues => ({ readers: new Map(), due: new Set(), isReading: false });

type FollowedValues = {
  tenants: Map<string, TenantValues>;
  listening: Promise<unknown> | null;
};

const FOLLOWED_VALUES = slot((): FollowedValues => ({
  tenants: new Map(),
  listening: null,
}));

/**
 * Tells the latest values of these points whenever they change, from the return of this function on; in any process,
 * without a trip or message while nothing changes. The tenant must be the caller's. Points that do not exist are never
 * told. Throws while the bus cannot be reached.
 */
export async function followValues(
  app: App,
  tenantId: string,
  pairs: readonly Pair[],
  reader: Reader,
): Promise<{ stop(): void }> {
  const { tenants } = app.of(FOLLOWED_VALUES);
  await listen(app);
  const keys = new Set(pairs.map(keyOf));
  const ofTenant = tenants.getOrInsertComputed(tenantId, noneOfTenant);
  for (const key of keys)
    ofTenant.readers.getOrInsertComputed(key, () => new Set<Reader>()).add(reader);
  return {
    stop() {
      for (const key of keys) {
        const readers = ofTenant.readers.get(key);
        readers?.delete(reader);
        if (readers?.size === 0) ofTenant.readers.delete(key);
      }
      if (ofTenant.readers.size === 0 && tenants.get(tenantId) === ofTenant)
        tenants.delete(tenantId);
    },
  };
}

/** Begins to hear of new values, once in a process; not on behalf of the call that is the first. */
async function listen(app: App): Promise<void> {
  const followed = app.of(FOLLOWED_VALUES);
  followed.listening ??= relyingOn(null, () =>
    app.bus.subscribe(
      'svc.e.latest',
      { queue: `svc.q.latest.${randomUUID()}`, key: '#', prefetch: PREFETCH },
      async ({ tenantId, points }) => {
        const ofTenant = followed.tenants.get(tenantId);
        if (!ofTenant) return;
        for (const key of points) if (ofTenant.readers.has(key)) ofTenant.due.add(key);
        void readDue(app, tenantId, ofTenant);
      },
    ),
  );
  try {
    await followed.listening;
  } catch (error) {
    followed.listening = null;
    throw error;
  }
}

/** Never rejects; one at a time for a tenant. */
async function readDue(app: App, tenantId: string, ofTenant: TenantValues): Promise<void> {
  if (ofTenant.isReading) return;
  ofTenant.isReading = true;
  while (ofTenant.due.size > 0) {
    const keys = [...ofTenant.due.values().take(BATCH)];
    for (const key of keys) ofTenant.due.delete(key);
    const ms = await readOnce(app, tenantId, ofTenant, keys).then(
      () => EACH_MS,
      (error: unknown) => {
        app.log.warn({ error, tenantId }, 'changed values were not read, retrying');
        for (const key of keys) ofTenant.due.add(key);
        return RETRY_MS;
      },
    );
    await new Promise<void>((resolve) => {
      app.clock.after(ms, resolve);
    });
  }
  ofTenant.isReading = false;
}

async function readOnce(
  app: App,
  tenantId: string,
  { readers }: TenantValues,
  keys: readonly string[],
): Promise<void> {
  const asked = keys.flatMap((key) => {
    const [deviceId, pointId] = key.split(':');
    return readers.has(key) && deviceId && pointId ? [{ deviceId, pointId }] : [];
  });
  if (asked.length === 0) return;
  const now = app.clock.now();
  const values = await inOneTrip(app.db, tenantId, (q) => latestOf(q, tenantId, asked, now));
  const told = new Map<Reader, LatestValue[]>();
  for (const value of values)
    for (const reader of readers.get(keyOf(value)) ?? [])
      told.getOrInsertComputed(reader, () => []).push(value);
  for (const [reader, changed] of told) reader(changed);
}
