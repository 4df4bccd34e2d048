import type { CoapResponse, OutgoingRequest } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import { writeArray, writeMap, writeText } from '../codec/cbor-writer.ts';
import { ContentFormat } from '../codec/codec.ts';
import { formatPath, type ResourcePath } from '../codec/path.ts';
import { type Pack, packIn } from '../format/pack.ts';
import type { Registration } from '../registration/registration.ts';
import { coded, failed, refused, type Send } from './request.ts';

/** Paths of one request, which stays within a datagram. */
export const MAX_PATHS = 40;

const { SENML_JSON, SENML_CBOR } = ContentFormat;
/** Label of the name in a record (RFC 8428, 6). */
const NAME = 0;

type Target = { registration: Registration; deadline: number };

/** Whether the device may take composite operations: those of LwM2M 1.1 and later have them. */
export const mayCompose = ({ version }: Pick<Registration, 'version'>): boolean =>
  version !== '1.0';

/**
 * Reads several paths in one exchange (OMA Core 1.1, 6.3.7: Read-Composite); what the device does not have is missing in
 * the answer. Throws `DriverFailure`.
 */
export async function readComposite(
  send: Send,
  target: Target,
  paths: readonly ResourcePath[],
): Promise<Pack> {
  return packOf(await fetchComposite(send, target, paths.map(formatPath)));
}

/** The same with the names as they are, as `/` for all. */
export async function fetchComposite(
  send: Send,
  { registration, deadline }: Target,
  names: readonly string[],
): Promise<CoapResponse> {
  return send(registration.peer, { ...fetchOf(registration, names), deadline }).catch(
    (error: unknown) => {
      throw failed(error, 'FAILED');
    },
  );
}

/** Formats of composite operations, that of the device first. */
export const compositeFormats = ({
  contentFormats,
}: Pick<Registration, 'contentFormats'>): readonly [number, number] =>
  contentFormats.includes(SENML_CBOR) && !contentFormats.includes(SENML_JSON)
    ? [SENML_CBOR, SENML_JSON]
    : [SENML_JSON, SENML_CBOR];

/** The request for the values at these names, in the format that the device registered. */
export function fetchOf(
  { root, contentFormats }: Registration,
  names: readonly string[],
): Omit<OutgoingRequest, 'deadline'> {
  const [contentFormat] = compositeFormats({ contentFormats });
  const payload =
    contentFormat === SENML_CBOR
      ? writeArray(names.map((name) => writeMap([[NAME, writeText(name)]])))
      : Buffer.from(JSON.stringify(names.map((n) => ({ n }))));
  return { method: 'FETCH', path: [...root], contentFormat, accept: contentFormat, payload };
}

/** Throws `DriverFailure` for an answer without values. */
export function packOf({ code, contentFormat, payload }: CoapResponse): Pack {
  if (code !== Code.CONTENT) throw refused(code);
  return coded(() => packIn(contentFormat, payload));
}
