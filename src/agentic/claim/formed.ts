const MAX_DEPTH = 20;

/**
 * What an answer in JSON says in words, a line for each: its texts, and the names of fields that are true. A field
 * that is false says nothing. Text that is no JSON is left as it is.
 */
export function wordsOf(text: string): string {
  try {
    return linesOf(JSON.parse(text), 0).join('\n');
  } catch {
    return text;
  }
}

function linesOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === true ? [spaced(name)] : linesOf(inner, depth + 1),
  );
}

/** `valveClosed` and `valve_closed` as words. */
const spaced = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ');
