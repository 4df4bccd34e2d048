import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { changeNouns } from '../../word/change-nouns.ts';
import { changesWords } from '../../word/changes.ts';

type Change = Schemas['Change'];
type Difference = { field: string; from: string | null; to: string | null };

/** What one row may say; what is more is counted. */
const SHOWN = 8;
const DEEPEST = 8;
/** Where a rule, policy or template keeps its fields. */
const ENVELOPE = /^(rule_ext|notify_ext|message_ext|channel_ext|bind_ext)(\.content)?\./;
/** Columns that hold a flag: its names, by the number that is stored. */
const FLAGS: Readonly<Record<string, readonly (keyof ReturnType<typeof changeNouns>['flags'])[]>> =
  {
    enable_flag: bounds['POST /manager/device/list'].enableFlag.values,
    rw_flag: bounds['POST /manager/point/add'].rwFlag.values,
  };

/** What was configured, as a sentence, and each field that differs. */
export function Configured({ change }: { change: Change }) {
  const w = changesWords();
  const { operation, entityType, entityName, pointName, deviceName, changes } = change;
  // Of what is in a group or has a label the verb is all: the thing follows, and the group as a field.
  const isMember = isMembership(entityType);
  const verbs = isMember ? w.memberships[entityType] : w.did;
  const did = Object.entries(verbs).find(([each]) => each === operation)?.[1] ?? verbs.UPDATE;
  const noun = isMember
    ? ''
    : (Object.entries(changeNouns().nouns).find(([each]) => each === entityType)?.[1] ??
      entityType.replaceAll('_', ' '));
  const differences = differencesIn(changes).filter(isTelling);
  const isOfPoint = pointName !== '' && entityName !== pointName;
  const isOfDevice = pointName === '' && deviceName !== '' && entityName !== deviceName;
  return (
    <>
      <p>
        {did} {noun} {entityName !== '' && <bdi class="strong">{entityName}</bdi>}
        {isOfPoint && (
          <>
            {' '}
            {w.ofPoint} <bdi class="strong">{pointName}</bdi>
          </>
        )}
        {isOfDevice && (
          <>
            {' '}
            {w.ofDevice} <bdi class="strong">{deviceName}</bdi>
          </>
        )}
      </p>
      {differences.slice(0, SHOWN).map(({ field, from, to }) => (
        <p key={field}>
          <span class="quiet">{fieldWord(field, entityType)}:</span>{' '}
          {from !== null && (
            <>
              <bdi class="quiet tabular">{valueWord(field, from)}</bdi>
              {' → '}
            </>
          )}
          <bdi class="strong tabular">{to === null ? w.nothing : valueWord(field, to)}</bdi>
        </p>
      ))}
      {differences.length > SHOWN && <p class="quiet">{w.more(differences.length - SHOWN)}</p>}
    </>
  );
}

/** Of a new row an id says nothing without its name, nor of any beside it, and an empty field is as in every new row. */
const isTelling = ({ field, from, to }: Difference, _: number, all: Difference[]): boolean => {
  const isId = field.endsWith('_id');
  if (from === null) return !(isId || to === '' || to === '{}' || field === 'enable_flag');
  return !isId || all.every((other) => other.field !== field.replace(/_id$/, '_name'));
};

const isMembership = (
  entityType: string,
): entityType is keyof ReturnType<typeof changesWords>['memberships'] =>
  Object.hasOwn(changesWords().memberships, entityType);

function fieldWord(field: string, of: string): string {
  const { fields } = changeNouns();
  return (
    Object.entries(fields).find(([each]) => each === `${of}.${field}`)?.[1] ??
    Object.entries(fields).find(([each]) => each === field)?.[1] ??
    field.replace(ENVELOPE, '').replaceAll('_', ' ')
  );
}

function valueWord(field: string, value: string): string {
  const flag = FLAGS[field]?.[Number(value)];
  return flag === undefined ? value || '–' : changeNouns().flags[flag];
}

/** The single values that a change (`field → [old, new]`) is made of. */
const differencesIn = (changes: Record<string, unknown>): Difference[] =>
  Object.entries(changes).flatMap(([field, pair]) => {
    const [from, to]: unknown[] = Array.isArray(pair) ? pair : [];
    return between(field, from, to, 0);
  });

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

const textOf = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
