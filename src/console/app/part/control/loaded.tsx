import type { ComponentChildren } from 'preact';

import type { Asked } from '../../client/ask.ts';
import { type Failure, Refused, Unreachable } from '../../client/failure.ts';
import { partWords } from '../../word/part.ts';
import { Mark, Note } from '../value/mark.tsx';
import { Button } from './button.tsx';

/** Grey lines where an answer will be: as many and as high as it usually is, so that nothing jumps. */
export const Skeleton = ({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) => (
  <div class="skeletons" role="status" aria-label={partWords().loading}>
    {Array.from({ length: rows }, (_, index) => (
      <div key={index} class={tall ? 'skeleton tall' : 'skeleton'} />
    ))}
  </div>
);

type EmptyGiven = { title: string; children?: ComponentChildren };

/** Nothing is there: says so, and what the next step is. */
export const Empty = ({ title, children }: EmptyGiven) => (
  <div class="empty">
    <p class="strong">{title}</p>
    {children}
  </div>
);

type FailedGiven = {
  failure: Failure;
  again?: (() => void) | undefined;
  /** Where to go from what does not exist. */
  elsewhere?: ComponentChildren;
};

/** Why an answer is not there, and what can be done. */
export function Failed({ failure, again, elsewhere }: FailedGiven) {
  const { title, text } = messageOf(failure);
  return (
    <div class="failed" role="alert">
      <p class="note warning">
        <Mark shape="triangle" />
        <span class="strong">{title}</span>
      </p>
      <p class="quiet">{text}</p>
      {again && <Button onPress={again}>{partWords().again}</Button>}
      {failure instanceof Refused && failure.status === 404 && elsewhere}
    </div>
  );
}

/** A failure in words: the server's own where it answered. */
export function messageOf(failure: Failure): { title: string; text: string } {
  const w = partWords();
  if (failure instanceof Unreachable) return w.unreachable;
  if (failure.status === 403) return w.forbidden;
  if (failure.status === 404) return { title: w.notFound.title, text: failure.message };
  return { title: w.refused, text: failure.message };
}

/** Whether somebody else changed it meanwhile, so that what was sent would have replaced that unseen. */
export const isConflict = (failure: Failure | null): boolean =>
  failure instanceof Refused &&
  failure.status === 409 &&
  typeof failure.data === 'object' &&
  failure.data !== null &&
  'version' in failure.data;

/** What is wrong with the field `name`, or a part of it, in the words of the server; undefined where nothing is. */
export function wrongOf(failure: Failure | null, name: string): string | undefined {
  if (!(failure instanceof Refused)) return undefined;
  const { data } = failure;
  if (typeof data !== 'object' || data === null || !('fields' in data)) return undefined;
  const { fields } = data;
  if (typeof fields !== 'object' || fields === null) return undefined;
  const said: unknown = Object.entries(fields).find(
    ([field]) => field === name || field.startsWith(`${name}.`),
  )?.[1];
  return typeof said === 'string' ? said : undefined;
}

type LoadedGiven<T> = {
  asked: Asked<T>;
  /** How many lines it usually has. */
  rows?: number;
  tall?: boolean;
  /** What is shown where it has no rows. */
  none?: ComponentChildren;
  elsewhere?: ComponentChildren;
  children: (data: T) => ComponentChildren;
};

const hasNoRows = (data: unknown): boolean => {
  const isPart = typeof data === 'object' && data !== null && 'records' in data;
  const rows = isPart ? data.records : data;
  return Array.isArray(rows) && rows.length === 0;
};

/** An answer in each of its states: asked for, there, there but not renewed, refused, not reachable. */
export function Loaded<T>({
  asked,
  rows = 3,
  tall = false,
  none,
  elsewhere,
  children,
}: LoadedGiven<T>) {
  const { data, failure, again } = asked;
  if (data === null)
    return failure ? (
      <Failed failure={failure} again={again} elsewhere={elsewhere} />
    ) : (
      <Skeleton rows={rows} tall={tall} />
    );
  return (
    <>
      {failure && <Failed failure={failure} again={again} />}
      {none !== undefined && hasNoRows(data) ? none : children(data)}
    </>
  );
}

/** Why a change was not made, in the server's words; that it is not known where no answer came. */
export const RefusedNote = ({ failure }: { failure: Failure | null }) =>
  failure && (
    <Note tone="danger" shape="cross" role="alert">
      {failure instanceof Unreachable ? partWords().unknownEffect : messageOf(failure).text}
    </Note>
  );
