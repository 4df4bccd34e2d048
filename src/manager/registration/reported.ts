import type { ResourceDefinition } from '../object/definition.ts';
import { objectOf } from '../object/objects.ts';

/** An instance of an object that a device registered, with what the registry knows of it. */
export type Instance = {
  objectId: number;
  instanceId: number;
  /** Empty for an object that is not in the registry. */
  name: string;
  resources: readonly (ResourceDefinition & {
    /** Whether the device itself named the resource; most devices name instances alone. */
    isNamed: boolean;
  })[];
};

export type Reported = {
  instances: Instance[];
  /** Ids of objects without an instance. */
  empty: number[];
};

export const pathOf = (objectId: number, instanceId: number, resourceId: number): string =>
  `/${objectId}/${instanceId}/${resourceId}`;

/** The paths of a registration joined with the registry, in the order of their ids. */
export function reportedIn(objects: string): Reported {
  const instances = new Map<string, { objectId: number; instanceId: number; named: Set<number> }>();
  const all = new Set<number>();
  for (const path of objects.split(' ').filter((part) => part !== '')) {
    const [objectId = 0, instanceId, resourceId] = path.split('/').map(Number);
    all.add(objectId);
    if (instanceId === undefined) continue;
    const key = `${objectId}/${instanceId}`;
    const found = instances.get(key) ?? { objectId, instanceId, named: new Set() };
    if (resourceId !== undefined) found.named.add(resourceId);
    instances.set(key, found);
  }
  const used = new Set([...instances.values()].map(({ objectId }) => objectId));
  return {
    instances: [...instances.values()]
      .toSorted((a, b) => a.objectId - b.objectId || a.instanceId - b.instanceId)
      .map(({ named, ...at }) => ({
        ...at,
        name: objectOf(at.objectId)?.name ?? '',
        resources: (objectOf(at.objectId)?.resources ?? []).map((one) => ({
          ...one,
          isNamed: named.has(one.id),
        })),
      })),
    empty: [...all].filter((id) => !used.has(id)).toSorted((a, b) => a - b),
  };
}

/**
 * Objects about the connection and the programs of a device instead of what it measures or moves: security,
 * server, access control, device, firmware, connectivity statistics, software.
 */
const HOUSEKEEPING = new Set([0, 1, 2, 3, 5, 7, 9]);

/** Whether a point can hold the resource. */
export const isPoint = ({ isMultiple }: Pick<ResourceDefinition, 'isMultiple'>): boolean =>
  !isMultiple;

/** Whether a point is proposed for the resource without being asked for. */
export const isSuggested = (
  { objectId }: Pick<Instance, 'objectId'>,
  resource: Instance['resources'][number],
): boolean =>
  isPoint(resource) &&
  resource.operations !== 'E' &&
  (resource.isNamed || (resource.isMandatory && !HOUSEKEEPING.has(objectId)));
