import type { ComponentChildren } from 'preact';

type Given = {
  /** Titles of the columns; those of numbers are at the right. */
  columns: readonly (readonly [title: ComponentChildren, kind?: 'number', hint?: string])[];
  label?: string;
  /** For screen readers alone. */
  caption?: string;
  /** Its rows. */
  children: ComponentChildren;
};

/** A table below the titles of its columns, which scrolls by itself where it is too wide. */
export const Table = ({ columns, label, caption, children }: Given) => (
  <div class="scroll">
    <table aria-label={label}>
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(([title, kind, hint], index) => (
            <th key={index} scope="col" class={kind} title={hint}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
