import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { type Asked, useAct } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { notificationsWords } from '../../word/notifications.ts';

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

const NOUNS = {
  channel: {
    update: 'POST /data/notify/channel/update',
    remove: 'POST /data/notify/channel/delete',
    right: 'svc-center-data:notify_channel',
  },
  policy: {
    update: 'POST /data/notify/update',
    remove: 'POST /data/notify/delete',
    right: 'svc-center-data:notify',
  },
  template: {
    update: 'POST /data/message/update',
    remove: 'POST /data/message/delete',
    right: 'svc-center-data:message',
  },
} as const;

type Noun = keyof typeof NOUNS;
const rightOf = (noun: Noun) => NOUNS[noun].right;

type ActionsGiven = {
  noun: Noun;
  row: { id: string; enableFlag: 'ENABLE' | 'DISABLE' };
  name: string;
  again(): void;
  onEdit(): void;
};

/** What can be done with a channel, a policy or a template. */
export function RowActions({ noun, row: { id, enableFlag }, name, again, onEdit }: ActionsGiven) {
  const w = notificationsWords();
  const { update, remove, right } = NOUNS[noun];
  const [isAsking, setAsking] = useState(false);
  const turn = useAct(update);
  const drop = useAct(remove);
  const isOn = enableFlag === 'ENABLE';
  const toggle = async (): Promise<void> => {
    await turn.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' });
    again();
  };
  const go = async (): Promise<void> => {
    if ((await drop.run({ id })) === null) return;
    setAsking(false);
    again();
  };
  return (
    <>
      {may(`${right}:update`) && (
        <>
          <Button onPress={onEdit} label={`${w.edit} ${name}`}>
            {w.edit}
          </Button>
          <Button
            isBusy={turn.isRunning}
            onPress={() => void toggle()}
            label={`${isOn ? w.disable : w.enable} ${name}`}
          >
            {isOn ? w.disable : w.enable}
          </Button>
        </>
      )}
      {may(`${right}:delete`) && (
        <Button kind="danger" onPress={() => setAsking(true)} label={`${w.remove} ${name}`}>
          {w.remove}
        </Button>
      )}
      <RefusedNote failure={turn.failure} />
      {isAsking && (
        <AskFirst
          title={w.removeAsk(name)}
          go={w.remove}
          isRunning={drop.isRunning}
          failure={drop.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>{w.removeMeans}</p>
        </AskFirst>
      )}
    </>
  );
}
