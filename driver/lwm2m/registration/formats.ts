import { z } from 'zod';

import { ContentFormat } from '../codec/codec.ts';
import type { ResourceType } from '../codec/resource.ts';

const { TEXT, OPAQUE, CBOR, SENML_JSON, SENML_CBOR, TLV, JSON: OMA_JSON } = ContentFormat;

/** What a device was understood in: the `Accept` that it took, its answer, and a write that it took. */
const Spoken = z.object({
  /** Null: it answers requests without `Accept` only. */
  asked: z.number().nullish(),
  said: z.number().optional(),
  taken: z.number().optional(),
});
/** Opaque bytes have formats of their own. */
export const SpokenFormats = z.object({ value: Spoken.optional(), opaque: Spoken.optional() });

/** What a registration says of it, and what it was understood in since. */
type Device = {
  version: string;
  contentFormats: number[];
  spoken?: z.infer<typeof SpokenFormats> | undefined;
  isUnsaved?: boolean;
};

/** By version: 1.0 has TLV, JSON and text (OMA TS 1.0, 6.4), the later ones have SenML and CBOR (OMA Core 1.1, 7.4). */
const usual = {
  value: { old: [TLV, OMA_JSON, TEXT], current: [SENML_JSON, SENML_CBOR, CBOR, TEXT, TLV] },
  opaque: {
    old: [TLV, OPAQUE, TEXT, OMA_JSON],
    current: [OPAQUE, SENML_CBOR, CBOR, SENML_JSON, TLV, TEXT],
  },
} as const;

const unique = <T>(formats: readonly (T | undefined)[]): T[] => [
  ...new Set(formats.filter((format) => format !== undefined)),
];

/** All formats, whatever the version. */
const every = {
  value: unique<number>([...usual.value.current, ...usual.value.old]),
  opaque: unique<number>([...usual.opaque.current, ...usual.opaque.old]),
};

/**
 * The formats to ask for, null for none in particular: first what the device was understood in, then those of its
 * registration, then those of its version.
 */
export function* formatsToRead(device: Device, type: ResourceType): Generator<number | null> {
  const { asked, said, taken } = spokenOf(device, type);
  const [first, ...next] = asked === null ? [null, said, taken] : [asked, taken];
  if (first !== undefined) yield first;
  // Made only where the first one is refused or not known.
  const formats = unique([first, ...next, ...declared(device, type), null]);
  yield* formats.filter((format) => format !== first);
}

/**
 * The formats to write in. Before a device was understood it gets text where it may know it: that is right also for one
 * that passes over the Content-Format.
 */
export function formatsToWrite(device: Device, type: ResourceType): number[] {
  const { said, taken } = spokenOf(device, type);
  const formats = declared(device, type);
  const isPlain = device.version !== '1.0' && type !== 'OPAQUE' && formats.includes(TEXT);
  const names = device.contentFormats.some((format) => formats.includes(format));
  const plain = isPlain && (!names || device.contentFormats.includes(TEXT)) ? [TEXT] : [];
  return unique([taken, said, ...plain, ...formats]);
}

/** Remembers a request for a value that was answered, and in which format. */
export function answered(
  device: Device,
  type: ResourceType,
  { asked, said }: { asked: number | null; said: number },
): void {
  // A format that is not for this type, as bytes for text, says nothing about the next request.
  if (!every[kindOf(type)].includes(said)) return;
  keep(device, type, { asked: asked === null ? null : said, said });
}

/** Remembers the format of a write that the device took. */
export function written(device: Device, type: ResourceType, taken: number): void {
  keep(device, type, { taken });
}

/** What is known already leaves the object as it is: another one is saved. */
function keep(device: Device, type: ResourceType, spoken: z.infer<typeof Spoken>): void {
  const before = spokenOf(device, type);
  const { asked, said, taken } = { ...before, ...spoken };
  if (asked === before.asked && said === before.said && taken === before.taken) return;
  device.spoken = { ...device.spoken, [kindOf(type)]: { ...before, ...spoken } };
  device.isUnsaved = true;
}

const kindOf = (type: ResourceType): keyof typeof usual => (type === 'OPAQUE' ? 'opaque' : 'value');

const spokenOf = ({ spoken }: Device, type: ResourceType): z.infer<typeof Spoken> =>
  spoken?.[kindOf(type)] ?? {};

/** The formats that the registration names, in the order of the version, then the others of the version. */
function declared({ version, contentFormats }: Device, type: ResourceType): number[] {
  const { old, current } = usual[kindOf(type)];
  const order = version === '1.0' ? old : current;
  const named = unique([...order, ...every[kindOf(type)]]).filter((format) =>
    contentFormats.includes(format),
  );
  return unique([...named, ...order]);
}
