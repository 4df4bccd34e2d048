import { cborValue } from './cbor-value.ts';
import type { Codec } from './codec.ts';
import { opaque } from './opaque.ts';
import { senmlJson } from './senml-json.ts';
import { text } from './text.ts';
import { tlv } from './tlv.ts';

/** By Content-Format. */
export const codecs: ReadonlyMap<number, Codec> = new Map(
  [text, opaque, cborValue, senmlJson, tlv].map((codec) => [codec.contentFormat, codec]),
);
