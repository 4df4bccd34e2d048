import type { ComponentChild, ComponentChildren } from 'preact';

import { type Draw, type Note, sentenceOf, sourceParts } from '../../../card/note.ts';
import type { Shape, Tone } from '../../../shape.ts';
import { Link } from '../../route/link.tsx';
import { cardWords } from '../../word/proposal/card.ts';
import { reviewWords } from '../../word/proposal/review.ts';
import { Amount } from '../value/amount.tsx';
import { Mark } from '../value/mark.tsx';
import { Ago } from '../value/time.tsx';
import type { Action } from './action.ts';

type Look = { tone: Tone; shape: Shape };

const LOOKS: Record<Note['code'], Look> = {
  CHANGED: { tone: 'warning', shape: 'triangle' },
  TAINTED: { tone: 'warning', shape: 'diamond' },
  SAME_VALUE: { tone: 'info', shape: 'bar' },
  OTHER_WRITE: { tone: 'warning', shape: 'diamond' },
  REJECTED_BEFORE: { tone: 'warning', shape: 'cross' },
};

/** Characters that tell ids apart. */
const SHORT = 8;

/** How sentences of the catalogue are drawn on a page. */
export const drawn: Draw<ComponentChild> = {
  text: (given) => <q dir="auto">{given}</q>,
  amount: (value, unit) => <Amount value={value} unit={unit} />,
  time: (iso) => <Ago at={iso} />,
  phrases: (given) => <bdi lang="en">{given.join('; ')}</bdi>,
  id: (given, isAction) =>
    isAction ? (
      <Link to={`/review/${given}`}>{given.slice(0, SHORT)}</Link>
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
