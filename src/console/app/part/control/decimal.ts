/** The keys of a phone have the comma of its language alone. */
export const withPoint = (text: string): string =>
  /^\s*[+-]?\d+,\d+\s*$/.test(text) ? text.trim().replace(',', '.') : text;
