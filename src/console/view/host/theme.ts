import { signal } from '@preact/signals';

import { language } from '../../app/word/words.ts';
import { fieldsOf, type Fields, isFields, numberOf, textOf } from './fields.ts';

const MAX_FONT = 300;

/** Light or dark, as the host has it; empty where it does not say. */
export const theme = signal('');

/**
 * Follows the host in what is its own: light or dark, language, the edges of its screen, and its font if that is installed. The
 * colours stay ours, as their contrast is tested; fonts that would be loaded are left alone, as a view loads nothing.
 */
export function applyContext(context: Fields): void {
  const root = document.documentElement;
  const { theme: given } = context;
  if (given === 'light' || given === 'dark') theme.value = root.style.colorScheme = given;
  const locale = textOf(context, 'locale');
  if (locale !== '') {
    language.value = locale.startsWith('zh') ? 'zh' : 'en';
    root.lang = locale;
  }
  const { safeAreaInsets: insets } = context;
  if (isFields(insets))
    document.body.style.padding = ['top', 'right', 'bottom', 'left']
      .map((side) => `${numberOf(insets, side) ?? 0}px`)
      .join(' ');
  const font = textOf(fieldsOf(fieldsOf(context['styles'])['variables']), '--font-sans');
  if (font !== '' && font.length <= MAX_FONT) root.style.setProperty('--font', font);
}
