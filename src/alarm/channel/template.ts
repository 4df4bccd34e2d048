const PLACEHOLDER = /\{\{\s*([A-Za-z]*)\s*\}\}/g;

export type Content = 'json' | 'form';
export type Values = Record<string, string>;

/** The placeholder names of a template, in order. */
export const namesIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');

/** Fills placeholders in one pass: braces inside a value are not filled again. */
export const fill = (template: string, values: Values): string =>
  template.replace(PLACEHOLDER, (_whole, name: string) => values[name] ?? '');

/** The string values of a body, which `fillBody` fills one by one. Throws SyntaxError as `fillBody` does. */
export function stringsOf(template: string, content: Content): string[] {
  if (content === 'form') return [...new URLSearchParams(template).values()];
  const strings: string[] = [];
  JSON.parse(template, (_key, value: unknown) => {
    if (typeof value === 'string') strings.push(value);
    return value;
  });
  return strings;
}

/**
 * Fills a body. The template is parsed first and serialised after, so that a value cannot change the
 * structure. Throws SyntaxError for a template that is not JSON.
 */
export function fillBody(template: string, content: Content, values: Values): string {
  if (content === 'json') return JSON.stringify(filled(JSON.parse(template), values));
  const pairs = [...new URLSearchParams(template)].map(([key, value]) => [
    key,
    fill(value, values),
  ]);
  return new URLSearchParams(pairs).toString();
}

function filled(node: unknown, values: Values): unknown {
  if (typeof node === 'string') return fill(node, values);
  if (Array.isArray(node)) return node.map((item: unknown) => filled(item, values));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, filled(value, values)]),
  );
}
