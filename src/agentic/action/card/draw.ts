import type { Draw } from '../../../console/sentence.ts';
import { amount, moment, type Voice } from '../../../kernel/sentence/voice.ts';

const MAX_CHANGES = 400;

/** How sentences of the catalogue are written as text. */
export const drawIn = (voice: Voice): Draw<string> => ({
  text: voice.text,
  amount: (value, unit) => amount(value, unit, voice),
  time: moment,
  phrases: (given) => voice.sentence(given.join('; '), MAX_CHANGES),
  id: (given) => given,
});
