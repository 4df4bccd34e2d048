/** What differs from run to run, each with the word that replaces it; ids and tokens get numbers instead. */
const CHANCE: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/(127\.0\.0\.1|localhost):\d+/g, 'http://platform'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b\d\d:\d\d(:\d\d)?\b/g, '<clock>'],
  [/\b1[6-9]\d{8}(\d{3}){0,2}\b/g, '<epoch>'],
  [/\b(main|console|chunk)\.\w{8,}\.(js|css)/g, '$1.<digest>.$2'],
  [/\b\d+(\.\d+)? ?ms\b/g, '<ms>'],
  [/("jsonrpc": ?"2\.0",\s*"id": ?)\d+/g, '$1<id>'],
  [/(\\"currentAgeS\\": ?)\d+/g, '$1<figure>'],
  [
    /("(?:uptime|duration|elapsed|latency|rss|heap|free|bytes|ageS|currentAgeS|leftS)\w*": )[\d.]+/gi,
    '$1<figure>',
  ],
];
/** Random words, and ids in fields whose name says so. */
const NAMED =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|eyJ[\w.-]{20,}|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_-]{20,}\b|(?<="\w*[iI]d\\?": ?\\?")\d+(?=\\?")/g;

/** A text without what differs from run to run; the first name found is `#1`, the next `#2`. */
export function plain(text: string): string {
  const names = new Map<string, string>();
  const replaced = CHANCE.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text);
  return replaced.replace(NAMED, (name) => {
    const known = names.get(name) ?? `#${names.size + 1}`;
    names.set(name, known);
    return known;
  });
}

/** JSON a value a line, so that a difference is one; anything else as it is. */
export function lines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text.replace(/^data: (\{.*\})$/gm, (_, data: string) => `data: ${lines(data)}`);
  }
}
