import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  opaqueBytes,
  unterminated,
  utf8,
  wellFormed,
} from '../codec/codec.ts';
import { MAX_ITEMS } from '../codec/item.ts';
import { floatBytes, floatText, integerOf, isReal, realOf } from '../codec/number.ts';
import type { ResourcePath } from '../codec/path.ts';
import type { ResourceType } from '../codec/resource.ts';

/** Bits 7-6 of the type byte (OMA Core 1.1, 7.4.4). */
export const Kind = { OBJECT_INSTANCE: 0, RESOURCE_INSTANCE: 1, MULTIPLE: 2, RESOURCE: 3 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];
type Entry = { kind: number; id: number; value: Buffer };

/** OMA TLV, the only format of many LwM2M 1.0 devices. */
export const tlv: Codec = {
  contentFormat: ContentFormat.TLV,
  decode: (payload, path, type) => readValue(find(payload, path), type),
  encode(value, { resourceId, resourceInstanceId }, type) {
    const body = writeValue(value, type);
    return resourceInstanceId === undefined
      ? writeEntry(Kind.RESOURCE, resourceId, body)
      : writeEntry(Kind.RESOURCE_INSTANCE, resourceInstanceId, body);
  },
};

/** One entry (OMA Core 1.1, 7.4.4). Throws `CodecError` for more than 24 bits of length. */
export function writeEntry(kind: Kind, id: number, body: Buffer): Buffer {
  const wide = id > 255;
  const lengthBytes = body.length < 8 ? 0 : body.length < 256 ? 1 : body.length < 65_536 ? 2 : 3;
  if (body.length > 0xff_ff_ff) throw new CodecError('the value is too long for TLV');
  const head = Buffer.alloc(1 + (wide ? 2 : 1) + lengthBytes);
  head[0] =
    (kind << 6) | (wide ? 0x20 : 0) | (lengthBytes << 3) | (lengthBytes === 0 ? body.length : 0);
  head.writeUIntBE(id, 1, wide ? 2 : 1);
  if (lengthBytes > 0) head.writeUIntBE(body.length, head.length - lengthBytes, lengthBytes);
  return Buffer.concat([head, body]);
}

/** The resource's bytes; some devices send the resource inside its object instance. */
function find(
  payload: Buffer,
  { objectInstanceId, resourceId, resourceInstanceId }: ResourcePath,
): Buffer {
  let entries = parse(payload);
  if (entries.some(({ kind }) => kind === Kind.OBJECT_INSTANCE)) {
    const [instance, ...more] = entries.filter(
      ({ kind, id }) => kind === Kind.OBJECT_INSTANCE && id === objectInstanceId,
    );
    if (more.length > 0) throw new CodecError('the TLV holds the object instance twice');
    entries = instance ? parse(instance.value) : [];
  }
  const own = entries.filter(
    ({ kind, id }) => (kind === Kind.RESOURCE || kind === Kind.MULTIPLE) && id === resourceId,
  );
  if (own.length > 1) throw new CodecError('the TLV holds the resource twice');
  const [resource] = own;
  if (resource?.kind === Kind.RESOURCE && resourceInstanceId === undefined) return resource.value;
  if (resource?.kind === Kind.RESOURCE)
    throw new CodecError('the TLV holds the resource without instances');
  // Alone on its level an instance answers a request for just this one.
  const level = resource ? parse(resource.value) : resourceInstanceId === undefined ? [] : entries;
  const instances = level.filter(
    ({ kind, id }) => kind === Kind.RESOURCE_INSTANCE && id === (resourceInstanceId ?? id),
  );
  const [first, ...more] = instances;
  if (!first) throw new CodecError('the TLV does not hold the resource');
  if (resourceInstanceId !== undefined && more.length > 0)
    throw new CodecError('the TLV holds the resource instance twice');
  return first.value;
}

/** One level of entries; a nested value is parsed only on the path. */
export function parse(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const number = (size: number): number => {
    if (at + size > bytes.length) throw new CodecError('the TLV ends too early');
    at += size;
    return bytes.readUIntBE(at - size, size);
  };
  while (at < bytes.length) {
    const head = number(1);
    const id = number(head & 0x20 ? 2 : 1);
    const lengthBytes = (head >> 3) & 3;
    const length = lengthBytes === 0 ? head & 7 : number(lengthBytes);
    if (at + length > bytes.length) throw new CodecError('a TLV length points beyond its end');
    if (entries.length >= MAX_ITEMS) throw new CodecError('the TLV has too many entries');
    entries.push({ kind: head >> 6, id, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return entries;
}

/** The value that the bytes are of this type. Throws `CodecError`. */
export function readValue(bytes: Buffer, type: ResourceType): string {
  if (type === 'OPAQUE') return bytes.toString('base64');
  if (type === 'STRING') {
    const text = utf8(bytes);
    return text === null ? bytes.toString('base64') : unterminated(text);
  }
  if (type === 'BOOLEAN') {
    if (bytes.length === 1 && (bytes[0] === 0 || bytes[0] === 1)) return String(bytes[0] === 1);
    throw new CodecError('the TLV value is not a boolean');
  }
  switch (bytes.length) {
    // TLV carries no types: one or two bytes can only be an integer, whatever the point's type.
    case 1:
      return String(bytes.readInt8());
    case 2:
      return String(bytes.readInt16BE());
    case 4:
      return isReal(type) ? floatText(bytes) : String(bytes.readInt32BE());
    case 8:
      return isReal(type) ? floatText(bytes) : String(bytes.readBigInt64BE());
    default:
      throw new CodecError(`a TLV number has 1, 2, 4 or 8 bytes, not ${bytes.length}`);
  }
}

/** The bytes of a value. Throws `CodecError`. */
export function writeValue(value: string, type: ResourceType): Buffer {
  if (type === 'OPAQUE') return opaqueBytes(value);
  if (type === 'STRING') return Buffer.from(wellFormed(value));
  if (type === 'BOOLEAN') return Buffer.from([bit(value) ? 1 : 0]);
  if (isReal(type)) return floatBytes(realOf(value));
  const whole = integerOf(value);
  const size = [1, 2, 4, 8].find((count) => BigInt.asIntN(count * 8, whole) === whole);
  if (!size) throw new CodecError('the value does not fit into 64 bits');
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(whole);
  return bytes.subarray(8 - size);
}
