import { bounds } from '../client/bounds.ts';
import { changeNouns } from '../word/change-nouns.ts';

/** A single value that differs: its path below the columns; null where there was or is none. */
export type Difference = { field: string; from: string | null; to: string | null };

const DEEPEST = 8;
/** Where a rule, policy or template keeps its fields. */
const ENVELOPE = /^(rule_ext|notify_ext|message_ext|channel_ext|bind_ext)(\.content)?\./;
/** Columns that hold a flag: its names, by the number that is stored. */
const FLAGS: Readonly<Record<string, readonly (keyof ReturnType<typeof changeNouns>['flags'])[]>> =
  {
    enable_flag: bounds['POST /manager/device/list'].enableFlag.values,
    rw_flag: bounds['POST /manager/point/add'].rwFlag.values,
  };

/** What a field of a thing of the type `of` is called. */
export function fieldWord(field: string, of: string): string {
  const { fields } = changeNouns();
  return (
    Object.entries(fields).find(([each]) => each === `${of}.${field}`)?.[1] ??
    Object.entries(fields).find(([each]) => each === field)?.[1] ??
    field.replace(ENVELOPE, '').replaceAll('_', ' ')
  );
}

export function valueWord(field: string, value: string): string {
  const flag = FLAGS[field]?.[Number(value)];
  return flag === undefined ? value || '–' : changeNouns().flags[flag];
}

/** The single values that a change (`field → [old, new]`) is made of. */
export const differencesIn = (changes: Readonly<Record<string, unknown>>): Difference[] =>
  Object.entries(changes).flatMap(([field, pair]) => between(field, ...pairOf(pair), 0));

export const pairOf = (pair: unknown): [from: unknown, to: unknown] => {
  const [from, to]: unknown[] = Array.isArray(pair) ? pair : [];
  return [from, to];
};

function between(field: string, from: unknown, to: unknown, depth: number): Difference[] {
  if (depth < DEEPEST && isMembers(from) && isMembers(to)) {
    const [before, after] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
      between(`${field}.${name}`, before.get(name), after.get(name), depth + 1),
    );
  }
  const [was, is] = [textOf(from), textOf(to)];
  return was === is ? [] : [{ field, from: was, to: is }];
}

/** Null for what is not there. */
export const textOf = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

export const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
