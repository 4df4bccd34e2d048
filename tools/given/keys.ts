type Members = Record<string, unknown>;

/** Names under which models wrap all arguments once more. */
const WRAPPERS = ['arguments', 'args', 'input', 'parameters', 'params', 'kwargs'];

/** Of `device_id`, `DeviceId` and `device-id`: the same. */
const letters = (key: string): string => key.toLowerCase().replaceAll(/[^a-z\d]/g, '');

/** Names of before, which programs still send. */
const FORMER: ReadonlyMap<string, string> = new Map([['maxsamples', 'rows']]);

/** What a key is about: an id is taken as a name, so `device`, `deviceName` and `deviceIds` are about the same. */
const subject = (key: string): string => letters(key).replace(/(?<=.)(?:ids?|names?|s)$/, '');
const isMany = (key: string): boolean => /s$/i.test(key);

/**
 * The accepted name that a key spells: in another case or with other signs, else the only one about the same, one of them
 * for one and a list for a list. Null for a key that may be none, or several.
 */
export function acceptedName(given: string, accepted: readonly string[]): string | null {
  const former = FORMER.get(letters(given));
  if (former !== undefined && accepted.includes(former)) return former;
  const same = accepted.filter((one) => letters(one) === letters(given));
  if (same.length === 1) return same[0] ?? null;
  const near = accepted.filter((one) => subject(one) === subject(given));
  const alike = near.filter((one) => isMany(one) === isMany(given));
  const [only, ...others] = alike.length > 0 ? alike : near;
  return others.length === 0 ? (only ?? null) : null;
}

/** The arguments that are wrapped in one more object, as the wrapper's name and its content; null where they are not. */
export function wrappedIn(members: Members, accepted: readonly string[]): [string, unknown] | null {
  const [only, ...others] = Object.entries(members);
  if (!only || others.length > 0) return null;
  return WRAPPERS.includes(only[0]) && !accepted.includes(only[0]) ? only : null;
}
