import { signal } from '@preact/signals';

import { useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { query } from '../../../client/route.ts';
import { may } from '../../../client/session.ts';
import { columnsWords } from '../../../word/columns.ts';

/** What the list can show of each device beside its name and status, with the right that it takes. */
const COLUMNS = {
  alarm: 'svc-center-data:dashboard:list',
  away: 'svc-center-data:device_status:list',
  heard: 'svc-center-data:device_status:list',
  group: 'svc-center-manager:group_bind:list',
  profile: 'svc-center-manager:profile:list',
  driver: 'svc-center-manager:driver:list',
  remark: null,
  added: null,
} as const;
export type Column = keyof typeof COLUMNS;

/** Chosen columns, in the order in which they are shown: facts of the device, then last values of points. */
export type Columns = { facts: readonly Column[]; points: readonly Schemas['Point'][] };

export const COLUMNS_PARAMETER = 'columns';
export const SEPARATOR = ',';
/** Values of the rows in the window have to fit into one live stream. */
export const MOST_POINTS = 4;

const narrow = matchMedia('(max-width: 720px)');
/** Whether a row shows its columns below each other, as the style does. */
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => void (isNarrow.value = matches));

const isColumn = (name: string): name is Column => Object.hasOwn(COLUMNS, name);
const mayShow = (column: Column): boolean => COLUMNS[column] === null || may(COLUMNS[column]);
export const offeredColumns = (): readonly Column[] =>
  Object.keys(COLUMNS).filter(isColumn).filter(mayShow);

/** Where nothing is chosen; a phone has room for less. */
const usual = (): readonly Column[] => (isNarrow.value ? ['alarm'] : ['alarm', 'away']);

/** The columns that the address names: `columns` facts, `pointId` points of the profile that the list is narrowed to. */
export function useColumns(): Columns {
  const points = useCommonPoints();
  const named = query.value.get(COLUMNS_PARAMETER)?.split(SEPARATOR) ?? usual();
  return {
    facts: offeredColumns().filter((column) => named.includes(column)),
    points: chosenOf(points),
  };
}

const chosenIds = (): readonly string[] =>
  query.value.get('pointId')?.split(SEPARATOR).slice(0, MOST_POINTS) ?? [];
const chosenOf = (points: readonly Schemas['Point'][]): readonly Schemas['Point'][] =>
  points.filter(({ id }) => chosenIds().includes(id));

/** The points that devices of the list have in common: those of the profile that it is narrowed to. */
export function useCommonPoints(): readonly Schemas['Point'][] {
  const profileId = query.value.get('profileId');
  const maySee = may('svc-center-manager:point:list') && may('svc-center-data:point_value:list');
  const asked = useAsk(
    'GET /manager/point/list_by_profile_id',
    profileId && maySee ? { profileId } : null,
  );
  return (profileId && asked.data) || [];
}

const ROW = 56;
const LINE = 24;

/** Height of a row, px: where it is narrow each column but the mark of an alarm has a line. */
export const heightOf = ({ facts, points }: Columns): number => {
  const lines = facts.filter((column) => column !== 'alarm').length + points.length;
  return isNarrow.value ? ROW + lines * LINE : ROW;
};

/** The titles above the columns; screen readers hear them in each row. */
export function Titles({ columns: { facts, points } }: { columns: Columns }) {
  const w = columnsWords();
  return (
    <div class="device titles" aria-hidden="true">
      <div>{w.device}</div>
      <span>{w.status}</span>
      {facts.map((column) => (
        <span key={column} class="cut">
          {w.of[column]}
        </span>
      ))}
      {points.map(({ id, pointName }) => (
        <bdi key={id} class="cut">
          {pointName}
        </bdi>
      ))}
    </div>
  );
}
