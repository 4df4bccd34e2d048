import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { Asked } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { type Noun, rightOf } from './row-actions.tsx';

/** What a row of the list can have done to it. */
export type RowUse = { again(): void; onEdit(): void };

type Given<Row> = {
  noun: Noun;
  words: { title: string; add: string; none: string; next: string };
  asked: Asked<{ records: readonly Row[]; total: number }>;
  /** Lines to show while it is asked for. */
  rows: number;
  row(row: Row, use: RowUse): ComponentChildren;
  /** Of a row, or of a new one. */
  form(row: Row | null, onClose: () => void): ComponentChildren;
};

/** The channels, policies or templates, and the form of the one that is edited. */
export function RowList<Row>({ noun, words: w, asked, rows, row, form }: Given<Row>) {
  const [editing, setEditing] = useState<{ row: Row | null } | null>(null);
  const close = (): void => {
    setEditing(null);
    asked.again();
  };
  return (
    <Section
      title={w.title}
      actions={
        may(`${rightOf(noun)}:add`) && (
          <Button onPress={() => setEditing({ row: null })}>{w.add}</Button>
        )
      }
    >
      <Loaded asked={asked} rows={rows}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {records.map((one) =>
                row(one, { again: asked.again, onEdit: () => setEditing({ row: one }) }),
              )}
            </ul>
            {total > records.length && (
              <p class="small">{notificationsWords().cut(records.length, total)}</p>
            )}
          </>
        )}
      </Loaded>
      {editing !== null && form(editing.row, close)}
    </Section>
  );
}
