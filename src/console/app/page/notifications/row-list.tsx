import type { ComponentChildren } from 'preact';

import { type Asked, useAct } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty, RefusedNote } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import type { Sorts } from '../../part/control/sort.tsx';
import { Section } from '../../part/page.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { partWords } from '../../word/part.ts';

export type RowUse = { again(): void; form(close: () => void): ComponentChildren };

type Given<Row> = {
  noun: Noun;
  words: { title: string; add: string; none: string; next: string };
  asked: Asked<{ records: readonly Row[]; total: number }>;
  /** Lines to show while it is asked for. */
  rows: number;
  sorts: Sorts<Row>;
  row(row: Row, use: RowUse): ComponentChildren;
  /** Of a row, or of a new one. */
  form(row: Row | null, onClose: () => void): ComponentChildren;
};

/** The channels, policies or templates, and the form of the one that is edited. */
export function RowList<Row>({ noun, words: w, asked, rows, sorts, row, form }: Given<Row>) {
  const { records = [], total = 0 } = asked.data ?? {};
  return (
    <Section
      title={w.title}
      actions={
        may(`${rightOf(noun)}:add`) && (
          <Opener word={w.add} closed={asked.again}>
            {(close) => form(null, close)}
          </Opener>
        )
      }
    >
      <List
        asked={asked}
        rows={rows}
        sorts={sorts}
        sort={`sort-${noun}`}
        none={<Empty title={w.none}>{w.next}</Empty>}
      >
        {(one) => row(one, { again: asked.again, form: (close) => form(one, close) })}
      </List>
      {total > records.length && (
        <p class="small">{notificationsWords().cut(records.length, total)}</p>
      )}
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

type ActionsGiven = RowUse & {
  noun: Noun;
  row: { id: string; enableFlag: 'ENABLE' | 'DISABLE' };
  name: string;
};

export function RowActions({ noun, row: { id, enableFlag }, name, again, form }: ActionsGiven) {
  const w = notificationsWords();
  const { update, remove, right } = NOUNS[noun];
  const turn = useAct(update, again);
  const drop = useAct(remove);
  const isOn = enableFlag === 'ENABLE';
  return (
    <>
      {may(`${right}:update`) && (
        <>
          <Opener word={w.edit} label={`${w.edit} ${name}`} closed={again}>
            {form}
          </Opener>
          <Button
            isBusy={turn.isRunning}
            onPress={() => void turn.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' })}
            label={`${isOn ? w.disable : w.enable} ${name}`}
          >
            {isOn ? w.disable : w.enable}
          </Button>
        </>
      )}
      {may(`${right}:delete`) && (
        <AskButton
          label={`${partWords().delete} ${name}`}
          title={w.removeAsk(name)}
          act={drop}
          run={() => drop.run({ id })}
          done={again}
        >
          <p>{w.removeMeans}</p>
        </AskButton>
      )}
      <RefusedNote failure={turn.failure} />
    </>
  );
}
