import { words } from '../app/word/words.ts';
import { cardTexts } from '../sentence-words.ts';

/** The sentences of a card, which Markdown and agents read as well. */
export const cardWords = words(cardTexts);
