import {
  CoapFailure,
  type CoapResponse,
  type FailureReason,
  type OutgoingRequest,
  type Peer,
} from '../../coap/contract.ts';
import { Code, codeText } from '../../coap/message/message.ts';
import { DriverFailure } from '../../sdk/driver.ts';
import * as failure from '../../sdk/failure.ts';
import { type Codec, CodecError, ContentFormat } from '../codec/codec.ts';
import { type ResourcePath, segments } from '../codec/path.ts';
import { executeArguments, type Resource } from '../codec/resource.ts';
import { codecs } from '../format/codecs.ts';
import { encoders } from '../format/encode-leaves.ts';
import { answered, formatsToRead, formatsToWrite, written } from '../registration/formats.ts';
import type { Registration } from '../registration/registration.ts';
import {
  foundToGiveWhole,
  givesWhole,
  hasNoPath,
  isInstance,
  namesInstances,
  wholeOf,
} from './instance.ts';

/** Sends one request from the socket that the device registered at. Throws `CoapFailure`. */
export type Send = (peer: Peer, request: OutgoingRequest) => Promise<CoapResponse>;
type Target = Resource & { registration: Registration; deadline: number };
/** What is asked for: a resource, or the ids of a longer or shorter path; in one of the `only` formats, if any. */
type Asked = Pick<Target, 'registration' | 'deadline' | 'type'> & {
  path: ResourcePath | readonly number[];
  only?: ReadonlySet<number>;
};

const { TEXT, OPAQUE, TLV } = ContentFormat;
/** The request was never sent. A reset is missing: the device may have executed a request that it reset. */
const NEVER_DONE: ReadonlySet<FailureReason> = new Set([
  'expired-in-queue',
  'queue-full',
  'bad-request',
]);
/** The device answers nothing at all now. */
const SILENT: ReadonlySet<FailureReason> = new Set([
  'timeout-before-ack',
  'timeout-after-ack',
  'expired-in-queue',
  'queue-full',
  'closed',
]);
/** Codes of a device that cannot answer in the format that was asked for. */
const OTHER_FORMAT: ReadonlySet<number> = new Set([
  Code.BAD_OPTION,
  Code.NOT_ACCEPTABLE,
  Code.UNSUPPORTED_CONTENT_FORMAT,
]);

/**
 * Reads a resource as text (OMA Core 1.1, 6.3.1), first in the format that the device was understood in, then in the
 * others; the reply is decoded by its own Content-Format. Throws `DriverFailure`.
 */
export async function readResource(send: Send, target: Target): Promise<string> {
  const { registration, path } = target;
  if (!isInstance(path)) return readingOf(await answerOf(send, target), target);
  if (givesWhole(registration)) return readingOf(await wholeAnswer(send, target), target);
  const response = await answerOf(send, target);
  if (!hasNoPath(response)) return readingOf(response, target);
  try {
    const value = readingOf(await wholeAnswer(send, target), target);
    foundToGiveWhole(registration);
    return value;
  } catch (error) {
    // The instance is missing in the whole resource too: the first answer says so.
    if (error instanceof DriverFailure && error.code !== 'TIMEOUT') throw refused(response.code);
    throw error;
  }
}

/** The whole resource in place of one instance. Throws `DriverFailure` for values that name no instance. */
export async function wholeAnswer(send: Send, target: Target): Promise<CoapResponse> {
  const response = await answerOf(send, { ...target, ...wholeOf(target.path) });
  if (response.code === Code.CONTENT && !namesInstances(response))
    throw new DriverFailure('FORMAT_UNKNOWN', 'the device does not say which instance a value is');
  return response;
}

/** The answer in the first format that the device speaks, which is remembered. Throws `DriverFailure` for none. */
export async function answerOf(send: Send, target: Asked): Promise<CoapResponse> {
  const { registration, type, deadline, only } = target;
  let response: CoapResponse | null = null;
  for (const asked of formatsToRead(registration, type)) {
    if (asked !== null && only && !only.has(asked)) continue;
    // A device without the option refuses every value of it (RFC 7252 5.4.1).
    if (asked !== null && response?.code === Code.BAD_OPTION) continue;
    const request: OutgoingRequest = { method: 'GET', path: uriOf(target), deadline };
    response = await send(
      registration.peer,
      asked === null ? request : { ...request, accept: asked },
    ).catch((error: unknown) => {
      throw failed(error, 'FAILED');
    });
    if (OTHER_FORMAT.has(response.code)) continue;
    if (response.code === Code.CONTENT)
      answered(registration, type, { asked, said: response.contentFormat ?? TEXT });
    return response;
  }
  throw refused(response?.code ?? 0);
}

/** The value in an answer. Throws `DriverFailure`. */
function readingOf(response: CoapResponse, { path, type }: Pick<Target, 'path' | 'type'>): string {
  return coded(() => codecOf(response).decode(response.payload, path, type));
}

/** The values in a report, where its format carries times with them, else null. Throws `DriverFailure`. */
export function reportOf(
  response: CoapResponse,
  { path, type }: Pick<Target, 'path' | 'type'>,
): { value: string; timeS: number | null }[] {
  const codec = codecOf(response);
  return coded(
    () =>
      codec.decodeTimed?.(response.payload, path, type) ?? [
        { value: codec.decode(response.payload, path, type), timeS: null },
      ],
  );
}

function codecOf(response: CoapResponse): Codec {
  if (response.code !== Code.CONTENT) throw refused(response.code);
  // A payload without a Content-Format is plain text (OMA Core 1.1, 7.4).
  const format = response.contentFormat ?? TEXT;
  const codec = codecs.get(format);
  if (codec) return codec;
  throw new DriverFailure('FORMAT_UNKNOWN', `Content-Format ${format} is not spoken`);
}

/**
 * Tells the device when to report a resource (OMA Core 1.1, 6.3.4: Write-Attributes). A device that refuses it may
 * report nevertheless. Throws `DriverFailure` for one that does not answer.
 */
export async function writeAttributes(
  send: Send,
  target: Target,
  query: readonly string[],
): Promise<void> {
  const { registration, deadline } = target;
  const place = givesWhole(registration) ? { ...target, ...wholeOf(target.path) } : target;
  const request: OutgoingRequest = {
    method: 'PUT',
    path: uriOf(place),
    query: [...query],
    deadline,
  };
  await send(registration.peer, request).catch((error: unknown) => {
    throw failed(error, 'FAILED');
  });
}

/**
 * Writes, or executes, a resource (OMA Core 1.1, 6.3.3 and 6.3.5). Throws `DriverFailure`, with outcome
 * UNKNOWN when the request may have arrived.
 */
export async function writeResource(send: Send, target: Target, value: string): Promise<void> {
  if (target.executable && value === '')
    throw new DriverFailure(
      'VALUE_INVALID',
      'an executable resource takes true, 1 or its arguments',
    );
  if (target.executable) return executeResource(send, target, value);
  const { registration, path, type, deadline } = target;
  if (isInstance(path) && givesWhole(registration)) return writeInstance(send, target, value);
  let code = 0;
  for (const contentFormat of formatsToWrite(registration, type)) {
    const payload = coded(() => codecs.get(contentFormat)?.encode(value, path, type));
    const request = { method: 'PUT', path: uriOf(target), contentFormat, deadline } as const;
    const whole = payload ? { ...request, payload } : request;
    const response = await send(registration.peer, whole).catch((error: unknown) => {
      throw failed(error, 'UNKNOWN');
    });
    code = response.code;
    if (code === Code.CHANGED) written(registration, type, contentFormat);
    // Only a refused format proves that the device did nothing and may do it in another one.
    if (code !== Code.UNSUPPORTED_CONTENT_FORMAT) break;
  }
  demand(code, Code.CHANGED);
}

/**
 * Writes one instance of a resource, and leaves the others, where no path leads to it: a partial update of the object
 * instance (OMA TS 1.0, 5.4.3), in the format that every such device speaks.
 */
async function writeInstance(send: Send, target: Target, value: string): Promise<void> {
  const { registration, path, type, deadline } = target;
  const { objectId, objectInstanceId } = path;
  const ids = segments(path).map(Number);
  const payload = coded(() => encoders.get(TLV)?.([{ ids, value, type }], 2));
  const place = { registration, path: [objectId, objectInstanceId] };
  const post = { method: 'POST', path: uriOf(place), contentFormat: TLV, deadline } as const;
  const request = payload ? { ...post, payload } : post;
  const response = await send(registration.peer, request).catch((error: unknown) => {
    throw failed(error, 'UNKNOWN');
  });
  demand(response.code, Code.CHANGED);
}

/**
 * Writes bytes as they are, block by block where they are many (OMA Core 1.1, 6.3.3 and E.6), in TLV for a device that
 * does not take them otherwise. Throws `DriverFailure`, with outcome UNKNOWN when some may have arrived.
 */
export async function uploadResource(
  send: Send,
  target: Target,
  bytes: Buffer,
  upload?: OutgoingRequest['upload'],
): Promise<void> {
  const { registration, path, deadline } = target;
  let code = 0;
  for (const contentFormat of [OPAQUE, TLV]) {
    const payload =
      contentFormat === OPAQUE
        ? bytes
        : coded(() => codecs.get(TLV)?.encode(bytes.toString('base64'), path, 'OPAQUE'));
    const put = { method: 'PUT', path: uriOf(target), contentFormat, deadline } as const;
    const request = { ...put, ...(payload && { payload }), ...(upload && { upload }) };
    const response = await send(registration.peer, request).catch((error: unknown) => {
      throw failed(error, 'UNKNOWN');
    });
    code = response.code;
    if (code !== Code.UNSUPPORTED_CONTENT_FORMAT) break;
  }
  demand(code, Code.CHANGED);
}

/**
 * Executes a resource with the given arguments (OMA Core 1.1, 6.3.5), empty for none. Throws
 * `DriverFailure`, with outcome UNKNOWN when the request may have arrived.
 */
export async function executeResource(
  send: Send,
  target: Pick<Asked, 'registration' | 'path' | 'deadline'>,
  execution: string,
): Promise<void> {
  const payload = executeArguments(execution);
  const post = { method: 'POST', path: uriOf(target), deadline: target.deadline } as const;
  // No payload without arguments: a device takes any byte for an argument.
  const request = payload.length > 0 ? { ...post, payload, contentFormat: TEXT } : post;
  const response = await send(target.registration.peer, request).catch((error: unknown) => {
    throw failed(error, 'UNKNOWN');
  });
  demand(response.code, Code.CHANGED);
}

/** Only a client error means that nothing was done (RFC 7252 5.9.2); 5.xx may follow half the work. */
export function demand(code: number, wanted: number): void {
  if (code !== wanted) throw refused(code, code >> 5 === 4 ? 'FAILED' : 'UNKNOWN');
}

/** Path below the root that the device registered (OMA Core 1.1, 6.4.1). */
export function uriOf({ registration, path }: Pick<Asked, 'registration' | 'path'>): string[] {
  return [...registration.root, ...('objectId' in path ? segments(path) : path.map(String))];
}

/** A codec's reason as one of the driver. */
export function coded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof CodecError)
      throw new DriverFailure('VALUE_INVALID', error.message, 'FAILED', error);
    throw error;
  }
}

/** Why a request got no answer; `otherwise` where the device may have done it. */
export function failed(error: unknown, otherwise: 'FAILED' | 'UNKNOWN'): DriverFailure {
  if (!(error instanceof CoapFailure))
    return new DriverFailure('DRIVER_ERROR', 'the request failed', otherwise, error);
  const timeout = error.reason.startsWith('timeout');
  return new DriverFailure(
    timeout ? 'TIMEOUT' : `COAP_${error.reason.replaceAll('-', '_').toUpperCase()}`,
    timeout ? 'the device did not answer in time' : `the exchange ended: ${error.reason}`,
    NEVER_DONE.has(error.reason) ? 'FAILED' : otherwise,
    error,
    SILENT.has(error.reason),
  );
}

export const refused = (code: number, outcome: 'FAILED' | 'UNKNOWN' = 'FAILED'): DriverFailure =>
  failure.refused(`the device answered ${codeText(code)}`, outcome);
