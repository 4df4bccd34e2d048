import { type Codec, CodecError, ContentFormat, opaqueBytes } from './codec.ts';

/** Raw bytes; a point value holds them as base64, so the point must be a STRING. */
export const opaque: Codec = {
  contentFormat: ContentFormat.OPAQUE,
  decode(payload, _path, type) {
    if (type !== 'STRING' && type !== 'OPAQUE') throw new CodecError(`opaque bytes are no ${type}`);
    return payload.toString('base64');
  },
  encode(value, _path, type) {
    if (type !== 'OPAQUE') throw new CodecError(`a ${type} is not sent as opaque bytes`);
    return opaqueBytes(value);
  },
};
