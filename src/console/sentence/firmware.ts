import { type CardTexts, type Draw, fill } from './note.ts';

type Package = {
  packageModel: string;
  packageUri: string;
  devices: readonly { model: string | null }[];
};
type FirmwareNote = { code: 'BYTES_UNKNOWN' | 'IN_CLEAR' | 'MODELS_DIFFER'; devices: number };
type LeftOut = {
  code: keyof CardTexts['leftOut'];
  versionNow: string | null;
  model: string | null;
};

const MAX_MODELS = 5;

/** A note on a roll-out as its sentence. */
export function firmwareSentence<T>(
  { code, devices: count }: FirmwareNote,
  { packageUri, devices }: Package,
  { firmware: texts }: CardTexts,
  draw: Draw<T>,
): (string | T)[] {
  if (code === 'BYTES_UNKNOWN') return fill(texts[code], { uri: [draw.text(packageUri, 255)] });
  if (code === 'IN_CLEAR')
    return fill<T>(texts[code][count === 1 ? 'one' : 'several'], { n: [String(count)] });
  const models = [...new Set(devices.flatMap(({ model }) => (model === null ? [] : [model])))];
  return fill(texts[code], {
    models: models
      .slice(0, MAX_MODELS)
      .flatMap((model, index) => [...(index > 0 ? [', '] : []), draw.text(model, 48)]),
    more: models.length > MAX_MODELS ? [texts.moreModels] : [],
  });
}

/** Why a device is left out, as the end of a sentence about it. */
export const leftOutReason = <T>(
  { code, versionNow, model }: LeftOut,
  { packageModel }: Pick<Package, 'packageModel'>,
  { leftOut: texts }: CardTexts,
  draw: Draw<T>,
): (string | T)[] =>
  fill(texts[code], {
    version: [draw.text(versionNow ?? '', 64)],
    model: [draw.text(model ?? '', 64)],
    wanted: [draw.text(packageModel, 64)],
  });
