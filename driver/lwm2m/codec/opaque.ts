import { type Codec, CodecError, ContentFormat, opaqueBytes } from './codec.ts';

/** Raw bytes; as a point value they are base64, so only a STRING point can hold them. */
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
