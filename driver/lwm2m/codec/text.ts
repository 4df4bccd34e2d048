import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  utf8,
  wellFormed,
} from './codec.ts';
import { numeralOf } from './number.ts';

/** Plain text (OMA Core 1.1, 7.4.1 and C): a boolean is 0 or 1, opaque bytes are base64. */
export const text: Codec = {
  contentFormat: ContentFormat.TEXT,
  decode(payload, _path, type) {
    const value = utf8(payload);
    if (value === null) throw new CodecError('the text is not UTF-8');
    if (type === 'OPAQUE') return fromBase64(value.trim()).toString('base64');
    // Whether it is a number or a boolean is judged with the scaling, which keeps the text for people.
    return type === 'STRING' ? value : value.trim();
  },
  encode(value, _path, type) {
    if (type === 'OPAQUE') return Buffer.from(opaqueBytes(value).toString('base64'));
    if (type === 'BOOLEAN') return Buffer.from(bit(value) ? '1' : '0');
    return Buffer.from(type === 'STRING' ? wellFormed(value) : numeralOf(value, type));
  },
};
