/** One field that differs: its path below the row, old and new value; null where there was or is none. */
export type Difference = { field: string; from: string | null; to: string | null };

const MAX_DEPTH = 8;

/** What a path says of where a rule or policy keeps a field, and nothing of the field. */
const ENVELOPE = /^(rule_ext|notify_ext|message_ext|channel_ext|bind_ext)(\.content)?\./;

/** The single values that a logged change (`field → [old, new]`) is made of, in the order of the fields. */
export const differencesIn = (changes: Record<string, unknown>): Difference[] =>
  Object.entries(changes).flatMap(([field, pair]) => {
    const [from, to]: unknown[] = Array.isArray(pair) ? pair : [];
    return between(field, from, to, 0);
  });

function between(field: string, from: unknown, to: unknown, depth: number): Difference[] {
  if (depth < MAX_DEPTH && isMembers(from) && isMembers(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) =>
      between(`${field}.${name}`, ownOf(from, name), ownOf(to, name), depth + 1),
    );
  }
  const [before, after] = [textOf(from), textOf(to)];
  return before === after ? [] : [{ field: field.replace(ENVELOPE, ''), from: before, to: after }];
}

/** A field may have the name of something that every object inherits. */
const ownOf = (members: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

const textOf = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
