import type { CoapResponse, OutgoingRequest } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import { type DriverCommand, type DriverDevice, DriverFailure } from '../../sdk/driver.ts';
import { ContentFormat } from '../codec/codec.ts';
import { pathOf } from '../codec/path.ts';
import { resourceOf } from '../codec/resource.ts';
import { formatsOf, valuesIn } from '../format/decode-leaves.ts';
import { compositeEncoders, encoders } from '../format/encode-leaves.ts';
import { type Leaf, leavesIn, type TypeAt } from '../format/leaf.ts';
import { formatsToWrite, written } from '../registration/formats.ts';
import type { Registration } from '../registration/registration.ts';
import { compositeFormats, mayCompose } from './composite.ts';
import { linksIn } from './discovered.ts';
import { givesWhole } from './instance.ts';
import { type Operation, operationOf } from './operation.ts';
import {
  answerOf,
  coded,
  demand,
  executeResource,
  failed,
  refused,
  type Send,
  uriOf,
  writeResource,
} from './request.ts';

type Calling = { registration: Registration; deadline: number; device: DriverDevice };
type Target = { registration: Registration; path: readonly number[]; deadline: number };

const ATTRIBUTE =
  /^(?:pmin|pmax|epmin|epmax|gt|lt|st|edge|con|hqmax)(?:=-?\d{1,15}(?:\.\d{1,15})?)?$/;

/**
 * Does what a custom command of a device says (OMA Core 1.1, 6.3). Answers what was read, found or created. Throws
 * `DriverFailure`, with outcome UNKNOWN when the device may have done it.
 */
export async function callOperation(
  send: Send,
  { registration, deadline, device }: Calling,
  command: Pick<DriverCommand, 'configs'>,
  params: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const operation = operationOf(command, params);
  const target = { registration, path: operation.ids, deadline };
  return operations[operation.kind](send, target, operation, typesOf(device));
}

type Answered = Promise<Record<string, string>>;

const operations: Readonly<
  Record<
    Operation['kind'],
    (send: Send, target: Target, operation: Operation, typeAt: TypeAt) => Answered
  >
> = {
  async execute(send, target, { given }) {
    await executeResource(send, target, given);
    return {};
  },
  read: (send, target, _operation, typeAt) => read(send, target, typeAt),
  discover,
  async attributes(send, target, { given }) {
    const { code } = await ask(send, target, { method: 'PUT', query: attributesIn(given) });
    demand(code, Code.CHANGED);
    return {};
  },
  async delete(send, target) {
    const { code } = await ask(send, target, { method: 'DELETE' });
    demand(code, Code.DELETED);
    return {};
  },
  create: change,
  write: change,
  update: change,
  'write-composite': writeComposite,
};

async function read(send: Send, target: Target, typeAt: TypeAt): Answered {
  // Of one instance of a resource, as it is reached at this device.
  const path = givesWhole(target.registration) ? target.path.slice(0, 3) : target.path;
  const only = formatsOf(path.length);
  const response = await answerOf(send, { ...target, path, type: 'STRING', only });
  if (response.code !== Code.CONTENT) throw refused(response.code);
  const values = coded(() => valuesIn(response, path, typeAt));
  const wanted = `/${target.path.join('/')}`;
  if (path.length === target.path.length) return bounded(values);
  const own = values.filter(([at]) => at === wanted);
  if (own.length === 0) throw refused(Code.NOT_FOUND);
  return bounded(own);
}

async function discover(send: Send, target: Target): Answered {
  const { registration, deadline } = target;
  const request = { method: 'GET', path: uriOf(target), accept: ContentFormat.LINK } as const;
  const response = await send(registration.peer, { ...request, deadline }).catch(
    (error: unknown) => {
      throw failed(error, 'FAILED');
    },
  );
  if (response.code !== Code.CONTENT) throw refused(response.code);
  return bounded(coded(() => linksIn(response, registration.root)));
}

type Asked = Pick<OutgoingRequest, 'method' | 'query' | 'contentFormat' | 'payload'>;

/** One request that may change the device. */
async function ask(send: Send, target: Target, request: Asked): Promise<CoapResponse> {
  const { registration, deadline } = target;
  const whole = { ...request, path: uriOf(target), deadline };
  return send(registration.peer, whole).catch((error: unknown) => {
    throw failed(error, 'UNKNOWN');
  });
}

/** Writes, or creates an object instance, in the first format that the device takes. */
async function change(
  send: Send,
  target: Target,
  { kind, ids, given }: Operation,
  typeAt: TypeAt,
): Answered {
  const { registration, deadline } = target;
  // Below an object the values are those of an instance that the device is to number.
  const isUnnumbered = kind === 'create' && ids.length === 1;
  const leaves = coded(() => leavesIn(given, isUnnumbered ? [...ids, 0] : ids, typeAt));
  const [single] = leaves;
  if (kind === 'write' && single && single.ids.length === ids.length) {
    const path = resourcePath(single);
    const { type, value } = single;
    await writeResource(send, { registration, deadline, path, type, executable: false }, value);
    return {};
  }
  const isCreate = kind === 'create';
  const place = isCreate ? { ...target, path: ids.slice(0, 1) } : target;
  const method = kind === 'write' ? 'PUT' : 'POST';
  let response: CoapResponse | null = null;
  for (const contentFormat of packFormats(registration, isUnnumbered)) {
    const depth = isCreate && !isUnnumbered ? 1 : 2;
    const payload = coded(() => encoders.get(contentFormat)?.(leaves, depth) ?? null);
    if (!payload) continue;
    response = await ask(send, place, { method, contentFormat, payload });
    if (response.code >> 5 === 2) written(registration, 'STRING', contentFormat);
    // Only a refused format proves that the device did nothing and may do it in another one.
    if (response.code !== Code.UNSUPPORTED_CONTENT_FORMAT) break;
  }
  if (!response) throw refused(Code.UNSUPPORTED_CONTENT_FORMAT);
  demand(response.code, isCreate ? Code.CREATED : Code.CHANGED);
  const created = response.locationPath?.slice(registration.root.length);
  return created ? { path: `/${created.join('/')}` } : {};
}

/**
 * Writes values of several object instances in one request, all or nothing (OMA Core 1.1, 6.3.8: Write-Composite). A
 * device that refuses it is not written one by one: that may end half done.
 */
async function writeComposite(
  send: Send,
  target: Target,
  { ids, given }: Operation,
  typeAt: TypeAt,
): Answered {
  const { registration } = target;
  if (!mayCompose(registration))
    throw new DriverFailure('UNSUPPORTED', 'composite writes need LwM2M 1.1, the device is of 1.0');
  const leaves = coded(() => leavesIn(given, ids, typeAt));
  let code = 0;
  for (const contentFormat of compositeFormats(registration)) {
    const payload = coded(() => compositeEncoders.get(contentFormat)?.(leaves));
    if (!payload) continue;
    const request = { method: 'IPATCH', contentFormat, payload } as const;
    ({ code } = await ask(send, { ...target, path: [] }, request));
    // Only a refused format proves that the device did nothing and may do it in another one.
    if (code !== Code.UNSUPPORTED_CONTENT_FORMAT) break;
  }
  demand(code, Code.CHANGED);
  return {};
}

/** Only TLV can leave the number of an instance to the device. */
const packFormats = (registration: Registration, isUnnumbered: boolean): number[] =>
  formatsToWrite(registration, 'STRING').filter((format) =>
    isUnnumbered ? format === ContentFormat.TLV : encoders.has(format),
  );

function resourcePath({ ids: [objectId, objectInstanceId, resourceId, instance] }: Leaf) {
  const ids = { objectId, objectInstanceId, resourceId, resourceInstanceId: instance };
  const configs = Object.entries(ids).flatMap(([code, id]) =>
    id === undefined ? [] : [[code, String(id)]],
  );
  return pathOf({ configs: Object.fromEntries(configs) });
}

/** What the points of the device say of its resources. */
export function typesOf(device: DriverDevice): TypeAt {
  const known = new Map(
    device.points.flatMap((point) => {
      try {
        const { path, type } = resourceOf(point);
        return [[Object.values(path).join('/'), type] as const];
      } catch {
        // A point with an invalid configuration says nothing.
        return [];
      }
    }),
  );
  return (ids) => known.get(ids.join('/')) ?? known.get(ids.slice(0, 3).join('/')) ?? null;
}

/** The query of Write-Attributes (OMA Core 1.1, 5.1.2); a name without a value takes the attribute back. */
function attributesIn(given: string): string[] {
  const query = given.split('&').filter((part) => part !== '');
  if (query.length > 0 && query.every((part) => ATTRIBUTE.test(part))) return query;
  throw new DriverFailure('VALUE_INVALID', 'attributes are such as pmin=10&pmax=60&gt');
}

/** As many as the message of a result has; how many are missing is said. */
const MAX_VALUES = 63;
function bounded(values: readonly (readonly [string, string])[]): Record<string, string> {
  const kept = Object.fromEntries(values.slice(0, MAX_VALUES));
  const leftOut = values.length - MAX_VALUES;
  return leftOut > 0 ? { ...kept, leftOut: String(leftOut) } : kept;
}
