import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import { type Basis, relyingOn } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Forbidden, Outdated, Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';

/** The longest life of what is known about a caller (docs/specification/limits.md, Permission cache). */
export const KNOWN_MS = 300_000;
const MAX_TENANTS = 10_000;
const MAX_ATTEMPTS = 3;
const CHANGED = 'The rights of this call changed while it ran; it was not finished';

/** A caller; one over MCP with why its client may nothing any more. */
type Known = Caller & { connection?: { ended: string | null } };

/** The versions of tenants when they were last seen: what was read at another one is read again. */
export const VERSIONS = slot((clock) => new TtlCache<string>(clock, KNOWN_MS, MAX_TENANTS));

/** The version of a tenant, for facts read in the same moment (`momentAcrossTenants`). */
export async function versionOf(app: App, q: Queries, tenantId: string): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select svc_version(${tenantId}) as version`.execute(q);
  const version = rows[0]?.version ?? '';
  app.of(VERSIONS).set(tenantId, version);
  return version;
}

/** Takes note of the version that a tenant is seen to have. */
export const noteVersion = (app: App, tenantId: string, version: string): void =>
  app.of(VERSIONS).set(tenantId, version);

/** Whether facts of a tenant that were read at `version` are not known to have changed. */
export const mayBePresent = (app: App, tenantId: string, version: string): boolean =>
  (app.of(VERSIONS).get(tenantId) ?? version) === version;

/** Asks the database whether the facts about a caller are still the present ones. */
export async function isPresent(app: App, { tenantId, version }: Caller): Promise<boolean> {
  if (version === undefined) return true;
  const present = await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) => versionOf(app, q, tenantId)),
  );
  return present === version;
}

/**
 * Runs `work` for a caller whose facts come from memory, and lets no outcome of outdated facts out, be it an
 * answer or an error: the first trip of `work` compares the version; work without one is followed by a trip
 * that does. With outdated facts nothing was done: `again` identifies the caller anew and the work is repeated, unless
 * nothing about the caller is another than before.
 */
export async function onPresentFacts<C extends Known, T>(
  app: App,
  caller: C,
  again: () => Promise<C>,
  work: (caller: C) => Promise<T>,
): Promise<T> {
  let facts = caller;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const relied = reliedOn(app, facts, again);
    const outcome = await relyingOn(relied, () => settled(() => work(facts)));
    if (relied === null || relied.isChecked || (await isPresent(app, facts))) {
      if (relied) relied.isOver = true;
      return outcome();
    }
    const renewed = await relyingOn(null, again);
    if (isSame(renewed, facts)) {
      relied.isOver = true;
      return outcome();
    }
    facts = renewed;
  }
  throw new Unavailable('The rights of this call change faster than it can be done');
}

function reliedOn<C extends Known>(app: App, caller: C, again: () => Promise<C>): Basis | null {
  const { tenantId, version } = caller;
  if (version === undefined) return null;
  const relied: Basis = {
    tenantId,
    version,
    isChecked: false,
    isOver: false,
    async renew(present) {
      app.of(VERSIONS).set(tenantId, present);
      const facts = await relyingOn(null, again).catch((error) => {
        if (relied.isChecked) throw error;
        throw new Outdated(present);
      });
      if (isSame(facts, caller)) relied.version = facts.version ?? '';
      else if (!relied.isChecked) throw new Outdated(present);
      // A switch is named; what else changed is not said.
      else throw new Forbidden(facts.connection?.ended ?? CHANGED);
    },
  };
  return relied;
}

/** Whether the facts about a caller are the same at another version of its tenant. */
function isSame(one: Caller, other: Caller): boolean {
  const { version: _, ...facts } = one;
  const { version: __, ...others } = other;
  return isDeepStrictEqual(facts, others);
}

/** The outcome of `work`, to be let out later. */
async function settled<T>(work: () => Promise<T>): Promise<() => T> {
  try {
    const value = await work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
