import { cardTexts } from '../../../card/words.ts';
import { words } from '../words.ts';

/** The sentences of a card, which Markdown and agents read as well. */
export const cardWords = words(cardTexts);
