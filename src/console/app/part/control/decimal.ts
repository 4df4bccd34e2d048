/** The number with a decimal point in place of a comma: in many languages the keypad of a phone has no point. */
export const withPoint = (text: string): string =>
  /^\s*[+-]?\d+,\d+\s*$/.test(text) ? text.trim().replace(',', '.') : text;
