import type { ComponentChild, ComponentChildren } from 'preact';

import { Amount } from '../app/part/value/amount.tsx';
import { Mark } from '../app/part/value/mark.tsx';
import { Ago } from '../app/part/value/time.tsx';
import { reviewWords } from '../app/word/review.ts';
import { type Draw, type Note, sentenceOf, sourceParts } from '../sentence.ts';
import type { Shape, Tone } from '../shape.ts';
import type { Action } from './action.ts';
import { cardWords } from './card-words.ts';
import { PageLink } from './page-link.tsx';

type Look = { tone: Tone; shape: Shape };

const LOOKS: Record<Note['code'], Look> = {
  CHANGED: { tone: 'warning', shape: 'triangle' },
  TAINTED: { tone: 'warning', shape: 'diamond' },
  SAME_VALUE: { tone: 'info', shape: 'bar' },
  OTHER_WRITE: { tone: 'warning', shape: 'diamond' },
  REJECTED_BEFORE: { tone: 'warning', shape: 'cross' },
};

/** Characters by which ids differ. */
const SHORT = 8;

/** How sentences of the catalogue are drawn on a page. */
export const drawn: Draw<ComponentChild> = {
  text: (given) => <q dir="auto">{given}</q>,
  amount: (value, unit) => <Amount value={value} unit={unit} />,
  time: (iso) => <Ago at={iso} />,
  phrases: (given) => <bdi lang="en">{given.join('; ')}</bdi>,
  id: (given, isAction) =>
    isAction ? (
      <PageLink to={`/review/${given}`}>{given.slice(0, SHORT)}</PageLink>
    ) : (
      <bdi>{given.slice(0, SHORT)}</bdi>
    ),
};

type NoteGiven = Look & { children: ComponentChildren };

export const NoteLine = ({ tone, shape, children }: NoteGiven) => (
  <li class={`note ${tone}`}>
    <Mark shape={shape} />
    <span>{children}</span>
  </li>
);

/** What a person should have seen before deciding; of texts that the agent had read, the texts too. */
export function Notes({ action: { notes, tainted } }: { action: Action }) {
  const w = cardWords();
  if (notes.length === 0) return null;
  return (
    <section class="panel">
      <h2>{reviewWords().notes.title}</h2>
      <ul class="stack">
        {notes.map((note, index) => (
          <NoteLine key={index} {...LOOKS[note.code]}>
            {sentenceOf(note, w, drawn)}
            {note.code === 'TAINTED' && (
              <ul class="stack quotes">
                {tainted.map((read) => (
                  <li key={`${read.tool} ${read.field} ${read.at} ${read.text}`}>
                    {sourceParts(read, w, drawn)}
                  </li>
                ))}
              </ul>
            )}
          </NoteLine>
        ))}
      </ul>
    </section>
  );
}
