import { cardTexts } from '../../../console/sentence-words.ts';
import { firmwareSentence, leftOutReason } from '../../../console/sentence.ts';
import type { Voice } from '../../../kernel/sentence/voice.ts';
import type { FirmwareCard, FirmwareNote, LeftOut } from '../kind/firmware-card.ts';
import { drawIn } from './draw.ts';

type OfPackage = Pick<FirmwareCard, 'packageModel' | 'packageUri'> & {
  devices: readonly { model: string | null }[];
};

/** Why a device is left out, as the end of a sentence about it. */
export const leftOutWords = (
  one: Pick<LeftOut, 'code' | 'versionNow' | 'model'>,
  of: OfPackage,
  voice: Voice,
): string => leftOutReason(one, of, cardTexts.en, drawIn(voice)).join('');

/** A note as a sentence. */
export const noteWords = (note: FirmwareNote, of: OfPackage, voice: Voice): string =>
  firmwareSentence(note, of, cardTexts.en, drawIn(voice)).join('');
