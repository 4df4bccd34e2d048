import { writeArray, writeMap, writeText, writeValue } from '../codec/cbor-writer.ts';
import { ContentFormat } from '../codec/codec.ts';
import type { Leaf } from './leaf.ts';
import { fieldOf as omaField } from './oma-json.ts';
import { labelOf } from './senml-cbor.ts';
import { fieldOf as senmlField } from './senml-json.ts';
import { Kind, writeEntry, writeValue as tlvValue } from './tlv.ts';

/**
 * Encodes values of one object instance. Only TLV has a `depth`: 1 names the instance, 2 leaves it to the path or the
 * device. Throws `CodecError`.
 */
type Encode = (leaves: readonly Leaf[], depth: 1 | 2) => Buffer;

const [NAME, BASE_NAME] = [0, -2];

/** By Content-Format: those that carry several values (OMA Core 1.1, 7.4.4 to 7.4.6; OMA TS 1.0, 6.4.4). */
export const encoders: ReadonlyMap<number, Encode> = new Map<number, Encode>([
  [ContentFormat.TLV, tlvOf],
  [ContentFormat.SENML_JSON, senmlJson],
  [ContentFormat.SENML_CBOR, senmlCbor],
  [ContentFormat.JSON, omaJson],
]);

/** Values of several object instances for a composite write: each has its whole path (OMA Core 1.1, 6.3.8). */
export const compositeEncoders: ReadonlyMap<number, (leaves: readonly Leaf[]) => Buffer> = new Map([
  [ContentFormat.SENML_JSON, compositeJson],
  [ContentFormat.SENML_CBOR, compositeCbor],
]);

const pathOf = ({ ids }: Leaf): string => `/${ids.join('/')}`;

function compositeJson(leaves: readonly Leaf[]): Buffer {
  const records = leaves.map(
    (leaf) => `{"n":"${pathOf(leaf)}",${senmlField(leaf.value, leaf.type)}}`,
  );
  return Buffer.from(`[${records.join(',')}]`);
}

function compositeCbor(leaves: readonly Leaf[]): Buffer {
  const records = leaves.map((leaf) =>
    writeMap([
      [NAME, writeText(pathOf(leaf))],
      [labelOf(leaf.type), writeValue(leaf.value, leaf.type)],
    ]),
  );
  return writeArray(records);
}

const baseOf = ([leaf]: readonly Leaf[]): string => `/${leaf?.ids.slice(0, 2).join('/')}/`;
const nameOf = ({ ids }: Leaf): string => ids.slice(2).join('/');

function senmlJson(leaves: readonly Leaf[]): Buffer {
  const records = leaves.map((leaf, index) => {
    const base = index === 0 ? `"bn":"${baseOf(leaves)}",` : '';
    return `{${base}"n":"${nameOf(leaf)}",${senmlField(leaf.value, leaf.type)}}`;
  });
  return Buffer.from(`[${records.join(',')}]`);
}

function senmlCbor(leaves: readonly Leaf[]): Buffer {
  const records = leaves.map((leaf, index) =>
    writeMap([
      ...(index === 0 ? ([[BASE_NAME, writeText(baseOf(leaves))]] as const) : []),
      [NAME, writeText(nameOf(leaf))],
      [labelOf(leaf.type), writeValue(leaf.value, leaf.type)],
    ]),
  );
  return writeArray(records);
}

function omaJson(leaves: readonly Leaf[]): Buffer {
  const records = leaves.map(
    (leaf) => `{"n":"${nameOf(leaf)}",${omaField(leaf.value, leaf.type)}}`,
  );
  return Buffer.from(`{"bn":"${baseOf(leaves)}","e":[${records.join(',')}]}`);
}

/** The entries below the first `depth` ids. */
function tlvOf(leaves: readonly Leaf[], depth: number): Buffer {
  const byId = Map.groupBy(leaves, ({ ids }) => ids[depth] ?? 0);
  const entries = Array.from(byId, ([id, below]) => {
    const [first] = below;
    if (first?.ids.length === depth + 1) {
      const kind = depth === 3 ? Kind.RESOURCE_INSTANCE : Kind.RESOURCE;
      return writeEntry(kind, id, tlvValue(first.value, first.type));
    }
    const kind = depth === 1 ? Kind.OBJECT_INSTANCE : Kind.MULTIPLE;
    return writeEntry(kind, id, tlvOf(below, depth + 1));
  });
  return Buffer.concat(entries);
}
