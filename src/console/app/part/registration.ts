import type { AnswerOf } from '../client/call.ts';
import { registeredWords } from '../word/registered.ts';

export type Registered = AnswerOf<'GET /manager/device/registration/get_by_device_id'>;
type SaidObject = Registered['objects'][number];
export type ReportedResource = SaidObject['resources'][number];

/** In words, with its instance where that is not the first. */
export const nameOf = ({ objectName, objectId, instanceId }: SaidObject): string => {
  const name = objectName || registeredWords().object(objectId);
  return instanceId ? `${name} ${instanceId}` : name;
};

/** What can become a point, with the name of its object: what is none yet, or in a new profile everything. */
export const possibleIn = ({ objects }: Registered, isNew = false) =>
  objects.flatMap((object) =>
    object.resources
      .filter(({ possible, pointIds }) => possible && (isNew || pointIds.length === 0))
      .map((resource) => ({ name: `${nameOf(object)}: ${resource.resourceName}`, resource })),
  );
