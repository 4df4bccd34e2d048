import { cborValue } from './cbor-value.ts';
import type { Codec } from './codec.ts';
import { omaJson } from './oma-json.ts';
import { opaque } from './opaque.ts';
import { senmlCbor } from './senml-cbor.ts';
import { senmlJson } from './senml-json.ts';
import { text } from './text.ts';
import { tlv } from './tlv.ts';

/** By Content-Format. */
export const codecs: ReadonlyMap<number, Codec> = new Map(
  [text, opaque, cborValue, senmlJson, senmlCbor, tlv, omaJson].map((codec) => [
    codec.contentFormat,
    codec,
  ]),
);
