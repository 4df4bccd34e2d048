import type { CoapResponse } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import { ContentFormat } from '../codec/codec.ts';
import type { ResourcePath } from '../codec/path.ts';
import { formatsOf } from '../format/decode-leaves.ts';
import type { Registration } from '../registration/registration.ts';

/** Answers of a device that knows no path to one instance of a resource, or that has no such instance. */
const NO_PATH: ReadonlySet<number> = new Set([
  Code.BAD_REQUEST,
  Code.NOT_FOUND,
  Code.METHOD_NOT_ALLOWED,
]);
/** Those that name the instance of each value: the text of a whole resource would be taken for one of them. */
const NAMING = formatsOf(3);

/** Devices of later versions that were found to give resources whole. */
const found = new WeakSet<Registration>();

/** Whether the device is asked for the whole resource: LwM2M 1.0 has no path to one instance (OMA TS 1.0, 5.4). */
export const givesWhole = (registration: Registration): boolean =>
  registration.version === '1.0' || found.has(registration);

export const foundToGiveWhole = (registration: Registration): void => void found.add(registration);

export const isInstance = ({ resourceInstanceId }: ResourcePath): boolean =>
  resourceInstanceId !== undefined;

export const hasNoPath = ({ code }: Pick<CoapResponse, 'code'>): boolean => NO_PATH.has(code);

/** What to ask for in place of one instance, and in which formats. */
export function wholeOf({ objectId, objectInstanceId, resourceId }: ResourcePath): {
  path: ResourcePath;
  only: ReadonlySet<number>;
} {
  return { path: { objectId, objectInstanceId, resourceId }, only: NAMING };
}

/** Whether an answer says which value is of which instance. */
export const namesInstances = ({ contentFormat }: CoapResponse): boolean =>
  NAMING.has(contentFormat ?? ContentFormat.TEXT);
