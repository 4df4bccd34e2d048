import type { Voice } from '../../../../kernel/sentence/voice.ts';
import type { FirmwareCard, FirmwareNote, LeftOut } from './card.ts';

type OfPackage = Pick<FirmwareCard, 'packageModel' | 'packageUri'> & {
  devices: readonly { model: string | null }[];
};

/** Why a device is left out, as the end of a sentence about it. */
export function leftOutWords(
  { code, versionNow, model }: Pick<LeftOut, 'code' | 'versionNow' | 'model'>,
  { packageModel }: Pick<OfPackage, 'packageModel'>,
  { text }: Voice,
): string {
  const words: Record<LeftOut['code'], string> = {
    NO_FIRMWARE_OBJECT: 'it has no firmware object (5), so its firmware cannot be updated',
    NEVER_CONNECTED: 'it never connected',
    SAME_VERSION: `it runs ${text(versionNow ?? '', 64)} already`,
    OTHER_MODEL: `it is of the model ${text(model ?? '', 64)}, and the package is for ${text(packageModel, 64)}`,
    UPDATE_UNDER_WAY: 'another update of its firmware is under way',
    DISABLED: 'it is disabled',
  };
  return words[code];
}

const MAX_MODELS = 5;

/** A note as a sentence. */
export function noteWords(
  { code, devices: count }: FirmwareNote,
  { packageUri, devices }: OfPackage,
  { text }: Voice,
): string {
  const models = [...new Set(devices.flatMap(({ model }) => (model === null ? [] : [model])))];
  const words: Record<FirmwareNote['code'], string> = {
    BYTES_UNKNOWN: `The devices fetch the package at ${text(packageUri, 255)}; the platform does not know the bytes that they will get there.`,
    IN_CLEAR: `${count} of the devices ${count === 1 ? 'is' : 'are'} not authenticated: whatever registers with the endpoint name gets the package.`,
    MODELS_DIFFER: `The devices are of different models: ${models
      .slice(0, MAX_MODELS)
      .map((model) => text(model, 48))
      .join(', ')}${models.length > MAX_MODELS ? ' and others' : ''}.`,
  };
  return words[code];
}
