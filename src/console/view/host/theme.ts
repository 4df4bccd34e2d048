import { fieldsOf, type Fields, isFields, numberOf, textOf } from './fields.ts';

const MAX_FONT = 300;

/**
 * Follows the host in what is its own: light or dark, the edges of its screen, and its font if that is installed. The
 * colours stay ours, as their contrast is tested; fonts that would be loaded are left alone, as a view loads nothing.
 */
export function applyContext(context: Fields): void {
  const root = document.documentElement;
  const { theme } = context;
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  const { safeAreaInsets: insets } = context;
  if (isFields(insets))
    document.body.style.padding = ['top', 'right', 'bottom', 'left']
      .map((side) => `${numberOf(insets, side) ?? 0}px`)
      .join(' ');
  const font = textOf(fieldsOf(fieldsOf(context['styles'])['variables']), '--font-sans');
  if (font !== '' && font.length <= MAX_FONT) root.style.setProperty('--font-sans', font);
}
