import { cutSentence, quoted } from '../../kernel/sentence/voice.ts';
import { outcomeOf } from '../command/outcome.ts';
import { truthOf } from '../command/record.ts';
import type { ChangeRow } from './change-row.ts';

const MAX_DEPTH = 8;

/** What a path says of where a rule or policy keeps a field, and nothing of the field. */
const ENVELOPE = /^(rule_ext|notify_ext|message_ext|channel_ext|bind_ext)(\.content)?\./;

/** A change for readers with little room: what, where, from what to what, by whom. Absent: there is none. */
export type ChangeLine = {
  /** ISO-8601, UTC. */
  at: string;
  by: string;
  /** login, oauth, key, model, action (a confirmed proposal) or system. */
  via: string;
  what: string;
  device?: string;
  point?: string;
  from?: string;
  to?: string;
  unit?: string;
  /** Of a write: EXECUTED, MISMATCH, FAILED, UNKNOWN or UNDERWAY. */
  result?: string;
  /** Of a write that is not certainly done, its outcome as one sentence. */
  say?: string;
  comment?: string;
  /** Of a proposal: its proposer had read free texts of devices or users. */
  tainted?: true;
  actionId?: string;
  commandId?: string;
};

const MAX_FIELDS = 6;

type Row<Kind> = Extract<ChangeRow, { kind: Kind }>;

/** `now` (ms since the epoch) as for `truthOf`. */
export function lineOf(row: ChangeRow, now: number): ChangeLine {
  return {
    at: row.at.toISOString(),
    by: byOf(row),
    via: row.via,
    ...(row.deviceName === null ? {} : { device: row.deviceName }),
    ...(row.pointName === null ? {} : { point: row.pointName }),
    ...factsOf(row, now),
    ...(row.tainted ? { tainted: true } : {}),
    ...(row.actionId === null ? {} : { actionId: row.actionId }),
    ...(row.commandId === null || row.actionId !== null ? {} : { commandId: row.commandId }),
  };
}

function byOf({ kind, actorName, proposerName }: ChangeRow): string {
  if (kind === 'write' && proposerName !== null)
    return `${quoted(proposerName)} proposed, ${quoted(actorName)} confirmed`;
  return actorName === '' ? 'platform' : actorName;
}

function factsOf(row: ChangeRow, now: number): Pick<ChangeLine, 'what'> & Partial<ChangeLine> {
  if (row.kind === 'write') return written(row, now);
  return row.kind === 'decision' ? decided(row) : configured(row);
}

function written(row: Row<'write'>, now: number) {
  const truth = truthOf(row, now);
  const { status, done, say } = outcomeOf({
    ...truth,
    deviceId: row.deviceId,
    deviceName: row.deviceName ?? row.deviceId,
    pointId: row.pointId,
    pointName: row.pointName ?? row.pointId,
    unit: row.unit ?? '',
  });
  return {
    what: 'write',
    ...fromTo(truth.beforeValue, truth.requestValue),
    ...unitOf(row),
    result: status,
    ...(done ? {} : { say }),
  };
}

/** Of several writes as one the name says what they are, in quotation marks where others wrote it. */
const SEVERAL = /^\d+ writes: “/;
const named = ({ entityName, toValue }: Row<'decision' | 'configuration' | 'right'>): string => {
  if (toValue !== null) return '';
  return SEVERAL.test(entityName)
    ? ` ${cutSentence(entityName, 200)}`
    : ` ${quoted(entityName, 200)}`;
};

/** What was decided, where the word of the log is none that a reader knows. */
const decisions: Record<string, string> = {
  evidence: 'proved by a later reading',
  void: 'confirmation void',
};
const decisionOf = ({ operation }: ChangeRow): string => {
  const decision = operation.replace(/^action:/, '');
  return decisions[decision] ?? decision;
};

const decided = (row: Row<'decision' | 'configuration' | 'right'>) => ({
  what: `${decisionOf(row)}${named(row)}`,
  ...fromTo(row.fromValue, row.toValue),
  ...unitOf(row),
  ...(row.comment ? { comment: row.comment } : {}),
});

const verbs: Record<string, string> = { ADD: 'added', CREATE: 'added', DELETE: 'deleted' };

/** What was changed, and how, in the words of a line. */
export const nounOf = ({ entityType }: ChangeRow): string =>
  MEMBERSHIPS[entityType]?.noun ?? spaced(entityType.replace(/_attribute_config$/, '_setting'));
export const verbOf = ({ operation }: ChangeRow): string => verbs[operation] ?? 'changed';

/** Of what is in a group or has a label: “group added” would be the group itself. */
const MEMBERSHIPS: Record<string, { noun: string; all: string }> = {
  group_bind: { noun: 'membership in a group', all: 'group_name' },
  label_bind: { noun: 'assigned label', all: 'label_name' },
};

/** What the platform names by the span of its values, which is none of the words of others. */
const SPANNED = new Set(['value_import', 'value_deletion', 'point_value']);
const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
const SPAN = new RegExp(`^(.*), (${TIME} – ${TIME})$`, 's');

function nameOf({ entityType, entityName }: ChangeRow): string {
  const [, name, span] = (SPANNED.has(entityType) && SPAN.exec(entityName)) || [];
  return span === undefined || name === undefined
    ? quoted(entityName)
    : `${quoted(name)}, ${span},`;
}

/** The field that is all of a setting or membership: the line has it as from and to. */
const allOf = ({ entityType }: ChangeRow): string => MEMBERSHIPS[entityType]?.all ?? 'config_value';

const spaced = (name: string): string => name.replaceAll('_', ' ');

function configured(row: Row<'decision' | 'configuration' | 'right'>) {
  const isNamed = [row.deviceName, row.pointName, ''].includes(row.entityName);
  const name = isNamed ? '' : ` ${nameOf(row)}`;
  const differences = differencesIn(row.changes).filter(isTelling);
  const [only] = differences;
  const done = `${nounOf(row)}${name} ${verbOf(row)}`;
  if (!only) return { what: done };
  if (differences.length === 1 && !isTime(only.field)) {
    const what = only.field === allOf(row) ? done : `${done}: ${spaced(only.field)}`;
    return { what, ...fromTo(only.from, only.to) };
  }
  const isNew = verbOf(row) === 'added';
  const shown = differences
    .slice(0, MAX_FIELDS)
    .map(({ field, from, to }) =>
      isNew && from === null
        ? `${spaced(field)} ${shownIn(field, to)}`
        : `${spaced(field)} ${shownIn(field, from)} → ${shownIn(field, to)}`,
    );
  const more = differences.length - shown.length;
  return { what: `${done}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}` };
}

/** Of a new row an id says nothing without its name, nor of any beside it, and an empty field is as in every new row. */
const isTelling = ({ field, from, to }: Difference, _: number, all: Difference[]): boolean => {
  const isId = field.endsWith('_id');
  if (from === null) return !(isId || to === '' || to === '{}' || field === 'enable_flag');
  return !isId || all.every((other) => other.field !== field.replace(/_id$/, '_name'));
};

/** A moment of the platform, as the log has it; readers put it into their zone, which they do not with what is quoted. */
const MOMENT = /^(\d{4}-\d\d-\d\dT[\d:.]+)\+00:00$/;
const isTime = (field: string): boolean => field.endsWith('_time');

function shownIn(field: string, value: string | null): string {
  if (value === null) return 'none';
  const [, moment] = (isTime(field) && MOMENT.exec(value)) || [];
  return moment === undefined ? quoted(value, 32) : `${moment}Z`;
}

const fromTo = (from: string | null, to: string | null) => ({
  ...(from === null ? {} : { from }),
  ...(to === null ? {} : { to }),
});

const unitOf = ({ unit }: ChangeRow) => (unit === null || unit === '' ? {} : { unit });

/** One field that differs: its path below the row, old and new value; null where there was or is none. */
type Difference = { field: string; from: string | null; to: string | null };

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
