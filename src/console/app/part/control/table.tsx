import type { ComponentChildren } from 'preact';

import { directionOf, SortButton } from './sort.tsx';

type Given = {
  /** Titles of the columns; those of numbers are at the right. */
  columns: readonly (readonly [
    title: ComponentChildren,
    kind?: 'number' | undefined,
    hint?: string | undefined,
  ])[];
  /** What its rows can be sorted by, in the order of the columns, beginning with the first. */
  sorts?: readonly (string | null)[];
  label?: string;
  /** For screen readers alone. */
  caption?: string;
  /** Its rows. */
  children: ComponentChildren;
};

/** A table below the titles of its columns, which scrolls by itself where it is too wide. */
export const Table = ({ columns, sorts = [], label, caption, children }: Given) => (
  <div class="scroll">
    <table aria-label={label}>
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(([title, kind, hint], index) => {
            const by = sorts[index] ?? null;
            return (
              <th
                key={index}
                scope="col"
                class={kind}
                title={hint}
                {...(by !== null && { 'aria-sort': directionOf(by) })}
              >
                {by !== null && typeof title === 'string' ? (
                  <SortButton by={by} title={title} isHead />
                ) : (
                  title
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
