import { byName } from '../../../kernel/sentence/voice.ts';
import type { FirmwareCard, FirmwareView } from '../kind/firmware-card.ts';
import { type RolloutRow, rolloutState } from '../kind/rollout-state.ts';
import { leftOutWords, noteWords } from './firmware-words.ts';

/** The card with the words of its codes, and with what became of it. */
export const firmwareView = (card: FirmwareCard, rollout: RolloutRow | null): FirmwareView => ({
  ...card,
  devices: card.devices.map(({ effect: _effect, ...device }) => device),
  leftOut: card.leftOut.map((one) => ({ ...one, say: leftOutWords(one, card, byName) })),
  notes: card.notes.map((note) => ({ ...note, say: noteWords(note, card, byName) })),
  rolloutId: rollout?.rolloutId ?? null,
  receipt: rollout && rolloutState(rollout),
});
