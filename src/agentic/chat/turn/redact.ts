/** Keys of results with an id, and with a text that a tenant chose. */
const ID_KEY = /^(id|ids|.*(Id|Ids))$/;
const NAME_KEY = /^(name|label|title|remark|reason|comment|.*(Name|Code|Label|Remark))$/;
const MIN_NAME = 2;

/** What is replaced wherever it occurs in a text: secrets, people's addresses, machines, ids of proposals. */
const PATTERNS: readonly [kind: string, pattern: RegExp][] = [
  ['secret', /\b(?:Bearer\s+)?(?:sk|pk|svc|key|tok|ghp)[-_][\w.~+/-]{8,}/gi],
  ['secret', /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g],
  ['secret', /\bBearer\s+[\w.~+/=-]{8,}/gi],
  ['mail', /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ['url', /\bhttps?:\/\/[^\s"'<>)\]]+/g],
  ['address', /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
];

/**
 * Replaces what tells of a tenant by numbered words (`name-1`, `id-2`), the same word for the same thing, so that what
 * belongs together still does.
 */
export function redactor() {
  const words = new Map<string, string>();
  const counts = new Map<string, number>();
  const names = new Set<string>();

  const wordFor = (kind: string, thing: string): string => {
    const key = `${kind} ${thing.toLowerCase()}`;
    const known = words.get(key);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const word = `${kind}-${count}`;
    words.set(key, word);
    return word;
  };

  /** Collects the names in a result: they are replaced in every text. */
  function learn(value: unknown, key = ''): void {
    if (typeof value === 'string' && NAME_KEY.test(key) && value.length >= MIN_NAME)
      names.add(value);
    if (Array.isArray(value)) for (const item of value) learn(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [own, item] of Object.entries(value)) learn(item, own);
  }

  function text(given: string): string {
    let left = given;
    for (const [kind, pattern] of PATTERNS)
      left = left.replaceAll(pattern, (found) => wordFor(kind, found));
    // The longest first: a name may hold another.
    for (const name of [...names].toSorted((a, b) => b.length - a.length))
      left = left.replaceAll(new RegExp(RegExp.escape(name), 'gi'), () => wordFor('name', name));
    return left;
  }

  function json(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => json(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([own, item]) => [own, json(item, own)]));
    const isId = ID_KEY.test(key) && (typeof value === 'number' || /^\d+$/.test(String(value)));
    if (isId) return wordFor('id', String(value));
    return typeof value === 'string' ? text(value) : value;
  }

  return { learn, text, json };
}
