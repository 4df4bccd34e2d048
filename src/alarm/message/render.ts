import { MAX_TEXT, MAX_TITLE } from '../notify/template-ext.ts';

/** Name to text; escaping is left to the channel. */
export type Variables = Readonly<Record<string, string>>;

export type Rendered = {
  title: string;
  text: string;
  /** The variables in use. */
  used: Record<string, string>;
  /** Placeholders without a variable; they stay in the text as written. */
  missing: string[];
};

const PLACE = /\{\{\s{0,8}([A-Za-z][\w.-]{0,127})\s{0,8}\}\}/g;

/** Fills a title and a text in one pass: placeholders inside a value are not filled. */
export function render(template: { title: string; text: string }, variables: Variables): Rendered {
  const used: Record<string, string> = {};
  const missing = new Set<string>();
  const put = (text: string): string =>
    text.replace(PLACE, (place, name: string) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value === undefined) {
        missing.add(name);
        return place;
      }
      used[name] = value;
      return value;
    });
  // A title is one line on every channel.
  const title = clip(put(template.title).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE);
  return { title, text: clip(put(template.text), MAX_TEXT), used, missing: [...missing] };
}

/** At most `max` UTF-16 units, never half a character. */
export const clip = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
