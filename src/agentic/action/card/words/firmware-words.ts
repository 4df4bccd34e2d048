import { cardTexts } from '../../../../console/sentence-words.ts';
import { firmwareSentence, leftOutReason } from '../../../../console/sentence.ts';
import { byName, type Voice } from '../../../../kernel/sentence/voice.ts';
import type {
  FirmwareCard,
  FirmwareNote,
  FirmwareView,
  LeftOut,
} from '../../kind/firmware-card.ts';
import { type RolloutRow, rolloutState } from '../../kind/rollout-state.ts';
import { drawIn } from '../notes.ts';

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

/** The card with the words of its codes, and with what became of it. */
export const firmwareView = (card: FirmwareCard, rollout: RolloutRow | null): FirmwareView => ({
  ...card,
  devices: card.devices.map(({ effect: _effect, ...device }) => device),
  leftOut: card.leftOut.map((one) => ({ ...one, say: leftOutWords(one, card, byName) })),
  notes: card.notes.map((note) => ({ ...note, say: noteWords(note, card, byName) })),
  rolloutId: rollout?.rolloutId ?? null,
  receipt: rollout && rolloutState(rollout),
});
