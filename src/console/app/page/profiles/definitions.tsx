import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { type Asked, useAct } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { isWhole, sorted } from '../../part/control/sort.tsx';
import { Table } from '../../part/control/table.tsx';
import { Section } from '../../part/page.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { partWords } from '../../word/part.ts';
import { profilesWords } from '../../word/profiles.ts';
import type { FormOf } from './definition-dialog.tsx';

type Noun = 'point' | 'command' | 'event' | 'command_param' | 'event_param';
type Defined = { id: string; enableFlag: 'ENABLE' | 'DISABLE' };

/** A sort of definition, and how one of them is shown and edited. */
export type Sort<T extends Defined> = {
  /** As permission codes and operations have it. */
  noun: Noun;
  words: {
    title: string;
    none: string;
    add: string;
    /** The question before one is deleted, and what that means. */
    ask(name: string): string;
    means: string;
  };
  /** Titles of the columns between the name and the actions. */
  columns: readonly string[];
  nameOf(item: T): string;
  /** Beside its name. */
  beside?(item: T): ComponentChildren;
  /** Of each column. */
  cells(item: T): readonly ComponentChildren[];
  form(given: FormOf<T>): ComponentChildren;
  /** What it consists of itself, shown when it is asked for. */
  parts?: { word: string; of(item: T): ComponentChildren };
};

type Given<T extends Defined> = {
  sort: Sort<T>;
  asked: Asked<readonly T[]>;
  /** Devices that a change reaches; null where they cannot be counted. */
  reach: number | null;
};

/** What a profile defines of a sort, with what can be done with each. */
export const Definitions = <T extends Defined>(given: Given<T>) => (
  <Section title={given.sort.words.title} actions={<Adder {...given} />}>
    <Rows {...given} />
  </Section>
);

/** The same, as a part of something that has a title. */
export const DefinitionsBelow = <T extends Defined>(given: Given<T>) => (
  <div class="stack">
    <Rows {...given} />
    <div class="actions">
      <Adder {...given} />
    </div>
  </div>
);

function Adder<T extends Defined>({ sort, asked, reach }: Given<T>) {
  if (!may(`svc-center-manager:${sort.noun}:add`)) return null;
  return (
    <Opener word={sort.words.add}>
      {(close) => sort.form({ item: null, reach, changed: asked.again, onClose: close })}
    </Opener>
  );
}

function Rows<T extends Defined>({ sort, asked, reach }: Given<T>) {
  const w = profilesWords();
  const { title, none } = sort.words;
  return (
    <Loaded asked={asked} rows={4} none={<Empty title={none} />}>
      {(items) => (
        <Table
          label={title}
          sorts={isWhole(items) ? ['name'] : []}
          columns={[
            [w.name],
            ...sort.columns.map((column) => [column] as const),
            [<span class="hidden">{w.actions}</span>],
          ]}
        >
          {(isWhole(items) ? sorted(items, { name: sort.nameOf }) : items).map((item) => (
            <Row key={item.id} sort={sort} item={item} reach={reach} changed={asked.again} />
          ))}
        </Table>
      )}
    </Loaded>
  );
}

type RowGiven<T extends Defined> = Pick<Given<T>, 'sort' | 'reach'> & { item: T; changed(): void };

function Row<T extends Defined>({ sort, item, reach, changed }: RowGiven<T>) {
  const w = profilesWords();
  const [isOpen, setOpen] = useState(false);
  const remove = useAct(`POST /manager/${sort.noun}/delete`);
  const { parts } = sort;
  const name = sort.nameOf(item);
  return (
    <>
      <tr>
        <th scope="row">
          <bdi>{name}</bdi> {sort.beside?.(item)} <Disabled of={item} />
        </th>
        {sort.cells(item).map((cell, index) => (
          <td key={index}>{cell}</td>
        ))}
        <td>
          <div class="actions">
            {parts && (
              <Button
                kind="quiet"
                isOpen={isOpen}
                label={`${parts.word}: ${name}`}
                onPress={() => setOpen(!isOpen)}
              >
                {parts.word}
              </Button>
            )}
            {may(`svc-center-manager:${sort.noun}:update`) && (
              <Opener word={w.edit} kind="quiet" label={w.editOf(name)}>
                {(close) => sort.form({ item, reach, changed, onClose: close })}
              </Opener>
            )}
            {may(`svc-center-manager:${sort.noun}:delete`) && (
              <AskButton
                kind="quiet"
                label={`${partWords().delete}: ${name}`}
                title={sort.words.ask(name)}
                act={remove}
                run={() => remove.run({ id: item.id })}
                done={() => {
                  announce(w.gone(name));
                  changed();
                }}
              >
                <p>{sort.words.means}</p>
                {reach !== null && <p>{w.reaches(reach)}</p>}
              </AskButton>
            )}
          </div>
        </td>
      </tr>
      {parts && isOpen && (
        <tr>
          <td colspan={sort.columns.length + 2}>{parts.of(item)}</td>
        </tr>
      )}
    </>
  );
}
