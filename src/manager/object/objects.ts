import { coreObjects } from './core-objects.ts';
import type { ObjectDefinition } from './definition.ts';
import { ipsoObjects } from './ipso-objects.ts';

/**
 * Objects of the public OMA registry (ids, names, operations, types, units and ranges are facts of it): those of
 * LwM2M itself and the IPSO objects. Objects of vendors are not in it.
 */
const byId: ReadonlyMap<number, ObjectDefinition> = new Map(
  [...coreObjects, ...ipsoObjects].map((one) => [one.id, one]),
);

/** Null for an object that is not in the table. */
export const objectOf = (id: number): ObjectDefinition | null => byId.get(id) ?? null;
