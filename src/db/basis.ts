import { AsyncLocalStorage } from 'node:async_hooks';

import { Outdated } from '../kernel/errors.ts';

/** Facts of a tenant that a call relies on, from memory, with the version of the tenant they were read at. */
export type Basis = {
  readonly tenantId: string;
  /** As `svc_version` says it; opaque. */
  version: string;
  /** Whether a trip of this call has found the version to be the present one. */
  isChecked: boolean;
  /** The call has ended: what goes on behind it relies on nothing. */
  isOver: boolean;
  /** Reads the facts again; throws when they are not the same, so that the call does not go on with them. */
  renew(present: string): Promise<void>;
};

/** SQLSTATE of `svc_require_version`; its message is the present version. */
const OUTDATED = 'SV001';

export function orOutdated(error: unknown): unknown {
  const isOutdated = error instanceof Error && 'code' in error && error.code === OUTDATED;
  return isOutdated ? new Outdated(error.message) : error;
}

const relied = new AsyncLocalStorage<Basis | null>();

/** Every transaction of `work` begins with a comparison of the version; null: there is nothing to compare. */
export const relyingOn = <T>(facts: Basis | null, work: () => Promise<T>): Promise<T> =>
  relied.run(facts, work);

/** What the present call relies on; null outside of one. */
export const basisNow = (): Basis | null => {
  const facts = relied.getStore() ?? null;
  return facts?.isOver ? null : facts;
};

/** Names of a tenant from memory that the present work was given instead of ids. */
export type NamesBasis = {
  readonly tenantId: string;
  /** The version they were read at (sql/0256_version.sql); null: none was looked up yet. */
  version: string | null;
  /** Whether a transaction of the work has found the version to be the present one. */
  isChecked: boolean;
};

/** SQLSTATE of `svc_require_name_version`. */
const RENAMED = 'SV003';

export const areRenamed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === RENAMED;

const relyingNames = new AsyncLocalStorage<NamesBasis>();

/**
 * The first transaction of `work` after a name was looked up begins with a comparison of their version; where names
 * have changed, it fails before it did anything (`areRenamed`).
 */
export const relyingOnNames = <T>(names: NamesBasis, work: () => Promise<T>): Promise<T> =>
  relyingNames.run(names, work);

/** The names that the next transaction has to compare; null: none. */
export const namesNow = (): NamesBasis | null => {
  const names = relyingNames.getStore();
  return !names || names.version === null || names.isChecked ? null : names;
};
