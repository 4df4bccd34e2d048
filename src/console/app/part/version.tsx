import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import { type Asked, useAsk } from '../client/ask.ts';
import type { Schemas } from '../client/operations.ts';
import { may } from '../client/session.ts';
import { versionWords } from '../word/version.ts';
import { Loaded } from './control/loaded.tsx';
import { differencesIn, fieldWord, isMembers, pairOf, textOf, valueWord } from './difference.ts';
import { Link } from './link.tsx';
import { Note } from './value/mark.tsx';
import { Ago } from './value/time.tsx';

/** A thing as the change log has it. */
type Thing = {
  entityType:
    | 'device'
    | 'profile'
    | 'point'
    | 'rule'
    | 'driver_attribute_config'
    | 'point_attribute_config';
  entityId: string;
};
type Change = Schemas['Change'];

/** A thing as it was before a change: of each column that was changed since then, what it was and is. */
export type Version = {
  at: string;
  by: string;
  was: Readonly<Record<string, unknown>>;
  is: Readonly<Record<string, unknown>>;
  /** Columns that were changed since then, and of which the log hides what they were. */
  hidden: readonly string[];
};
/** Why it is not known: more changes since then than are read, no such change, or it was deleted. */
export type Unknown = 'many' | 'none' | 'gone';

/** One page of the log, and as much as is read of it. */
const MOST = 100;

/** What a thing was before its change at a time (ISO 8601, as the log has it); asks nothing where no time is given. */
export function useVersion(
  { entityType, entityId }: Thing,
  at: string | null,
): Asked<Version | Unknown> {
  const since = at ?? undefined;
  const asked = useAsk(
    'POST /data/change/list',
    at === null ? null : { entityType, entityId, since, kind: 'configured', limit: MOST },
  );
  // An answer of before may lack a change, and a form that began with it keeps it.
  const fresh = useRef<string | null>(null);
  if (!asked.isLoading) fresh.current = at;
  const isFresh = at !== null && fresh.current === at;
  return { ...asked, data: asked.data && isFresh ? versionIn(asked.data, at) : null };
}

/** As the log hides a secret, before and after; of what it does not hide the two differ. */
const HIDDEN = JSON.stringify(['******', '******']);
const isHidden = (pair: unknown): boolean => JSON.stringify(pair) === HIDDEN;

/** Whether forms with `columns` have something of what a change was, which the log has too. */
export const isOfForm = (
  { changes }: Pick<Change, 'changes'>,
  columns: Readonly<Record<string, unknown>>,
): boolean =>
  Object.entries(changes).some(
    ([column, pair]) => Object.hasOwn(columns, column) && !isHidden(pair),
  );

function versionIn(
  { records, nextCursor }: { records: readonly Change[]; nextCursor: string | null },
  at: string,
): Version | Unknown {
  const first = records.at(-1);
  if (nextCursor !== null) return 'many';
  if (records[0]?.operation === 'DELETE') return 'gone';
  if (first?.at !== at || first.operation !== 'UPDATE') return 'none';
  // Newest first: what a column is the first row says that has it, what it was the last one.
  const [was, is]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  const pairs = records.flatMap(({ changes }) => Object.entries(changes));
  const hidden = new Set(pairs.flatMap(([column, pair]) => (isHidden(pair) ? [column] : [])));
  for (const [column, pair] of pairs)
    if (!hidden.has(column)) {
      const [from, to] = pairOf(pair);
      was[column] = from;
      if (!Object.hasOwn(is, column)) is[column] = to;
    }
  return { at, by: first.actorName, was, is, hidden: [...hidden] };
}

/** What forms take from a version: for each column that one of them has, its fields. */
export type Columns<V> = Readonly<Record<string, (was: unknown) => Partial<V>>>;

/** What to enter in a form so that it is as it was then; nothing where that is not known. */
export function enteredOf<V>(version: Version | Unknown | null, columns: Columns<V>): Partial<V> {
  if (version === null || typeof version === 'string') return {};
  const known = Object.entries(version.was).filter(([column]) => Object.hasOwn(columns, column));
  return Object.assign({}, ...known.map(([column, was]) => columns[column]?.(was)));
}

export const wasText = (was: unknown): string => textOf(was) ?? '';
/** The name of a stored flag; that of the first where there is none such. */
export const wasFlag = <const T extends string>(values: readonly [T, ...T[]], was: unknown): T =>
  values[Number(was)] ?? values[0];
export const wasMembers = (was: unknown): Record<string, unknown> => (isMembers(was) ? was : {});

type NoteGiven = {
  of: Thing['entityType'];
  version: Version | Unknown;
  /** Columns that the forms have. */
  has: readonly string[];
};

/** That a form is filled in with what was, what that changes, and what it does not have. */
export function VersionNote({ of, version, has }: NoteGiven) {
  const w = versionWords();
  if (typeof version === 'string')
    return (
      <Note tone="warning" shape="triangle" role="status">
        {w[version]}
      </Note>
    );
  const { at, by, was, is, hidden } = version;
  const pairs = Object.entries(was).map(([column, then]) => [column, [is[column], then]] as const);
  const ofForm = pairs.filter(([column]) => has.includes(column));
  const differences = differencesIn(Object.fromEntries(ofForm));
  const ofNone = pairs.filter(
    ([column, [now, then]]) => !has.includes(column) && textOf(now) !== textOf(then),
  );
  const namesOf = (columns: readonly string[]): string =>
    columns.map((column) => fieldWord(column, of)).join(', ');
  const secret = namesOf(hidden.filter((column) => has.includes(column)));
  const others = namesOf([
    ...ofNone.map(([column]) => column),
    ...hidden.filter((column) => !has.includes(column)),
  ]);
  return (
    <div class="panel" role="group" aria-label={w.title}>
      <p>
        {w.before} <bdi class="strong">{by || w.platform}</bdi> (<Ago at={at} />
        ). {differences.length > 0 ? w.counts : secret === '' && w.same}
      </p>
      {differences.map(({ field, from, to }) => (
        <p key={field}>
          <span class="quiet">{fieldWord(field, of)}:</span>{' '}
          <bdi class="quiet tabular">{from === null ? w.nothing : valueWord(field, from)}</bdi>
          {' → '}
          <bdi class="strong tabular">{to === null ? w.nothing : valueWord(field, to)}</bdi>
        </p>
      ))}
      {secret !== '' && (
        <p>
          {w.hidden} <bdi>{secret}</bdi>
        </p>
      )}
      {others !== '' && (
        <p class="quiet">
          {w.stays} <bdi>{others}</bdi>
        </p>
      )}
    </div>
  );
}

type HistoryGiven = { entityType: Thing['entityType']; entityId: string | undefined };

/** The way to the changes of a thing, for those that may read them. */
export const History = ({ entityType, entityId }: HistoryGiven) =>
  entityId !== undefined && may('svc-center-data:change:list') ? (
    <Link to={`/changes?entityType=${entityType}&entityId=${entityId}`}>
      {versionWords().history}
    </Link>
  ) : null;

type Given = {
  of: Thing['entityType'];
  /** Null: no version is asked for, and the form has what is stored. */
  at: string | null;
  asked: Asked<Version | Unknown>;
  has: readonly string[];
  /** The forms, once it is known what to enter. */
  children(version: Version | Unknown | null, note: ComponentChildren): ComponentChildren;
};

/** Forms that begin with a version, where one is asked for. */
export const AsOf = ({ of, at, asked, has, children }: Given) =>
  at === null ? (
    <>{children(null, null)}</>
  ) : (
    <Loaded asked={asked} rows={4}>
      {(version) => children(version, <VersionNote of={of} version={version} has={has} />)}
    </Loaded>
  );
