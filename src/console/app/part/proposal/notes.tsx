import type { ComponentChildren } from 'preact';

import type { Tone, Shape } from '../../../shape.ts';
import { Link } from '../../route/link.tsx';
import { reviewWords } from '../../word/proposal/review.ts';
import { Amount } from '../value/amount.tsx';
import { Mark } from '../value/mark.tsx';
import { Ago } from '../value/time.tsx';
import { type Action, isOpen, openOthers, valueOf, type Write, writesOf } from './action.ts';

type NoteGiven = { tone: Tone; shape: Shape; children: ComponentChildren };

const Note = ({ tone, shape, children }: NoteGiven) => (
  <li class={`note ${tone}`}>
    <Mark shape={shape} />
    <span>{children}</span>
  </li>
);

/** What a person should have seen before deciding: texts the agent had read, other writes, an earlier rejection. */
export function Notes({ action }: { action: Action }) {
  const w = reviewWords();
  if (!isOpen(action)) return null;
  const { tainted } = action;
  const writes = writesOf(action);
  const isQuiet =
    tainted.length === 0 &&
    writes.every(
      (write) => openOthers(write).length === 0 && write.rejectedBefore === null && !isSame(write),
    );
  if (isQuiet) return null;
  return (
    <section class="panel">
      <h2>{w.notes.title}</h2>
      <ul class="stack">
        {tainted.length > 0 && (
          <Note tone="warning" shape="diamond">
            {w.notes.tainted}
            <ul class="stack quotes">
              {tainted.map(({ text, field, of, tool, at }) => (
                <li key={`${tool} ${field} ${at} ${text}`}>
                  <q>{text}</q>
                  <br />
                  <small class="quiet">
                    <bdi>{field}</bdi> <bdi>{of}</bdi> · <bdi>{tool}</bdi> · <Ago at={at} />
                  </small>
                </li>
              ))}
            </ul>
          </Note>
        )}
        {writes.map((write) => (
          <NotesOfWrite
            key={`${write.deviceId}:${write.pointId}`}
            write={write}
            isOneOfMany={writes.length > 1}
          />
        ))}
      </ul>
    </section>
  );
}

function NotesOfWrite({ write, isOneOfMany }: { write: Write; isOneOfMany: boolean }) {
  const { notes } = reviewWords();
  const { rejectedBefore, unit } = write;
  const others = openOthers(write);
  const place = isOneOfMany && (
    <>
      <bdi class="strong">{write.pointName}</bdi> · <bdi>{write.deviceName}</bdi>:{' '}
    </>
  );
  return (
    <>
      {isSame(write) && (
        <Note tone="info" shape="bar">
          {place}
          {notes.same}
        </Note>
      )}
      {others.map(({ kind, id, value, by }) => (
        <Note key={id} tone="warning" shape="diamond">
          {place}
          {notes.others[kind]} <Amount value={value} unit={unit} />
          {by !== '' && (
            <>
              {' · '}
              <bdi>{by}</bdi>
            </>
          )}
          {kind === 'PROPOSED' && (
            <>
              {' · '}
              <Link to={`/review/${id}`}>{notes.look}</Link>
            </>
          )}
        </Note>
      ))}
      {rejectedBefore && (
        <Note tone="warning" shape="cross">
          {place}
          {notes.rejected} <Ago at={rejectedBefore.at} /> · <bdi>{rejectedBefore.by}</bdi>
          {rejectedBefore.why !== '' && (
            <>
              {' '}
              <q>{rejectedBefore.why}</q>
            </>
          )}
        </Note>
      )}
    </>
  );
}

function isSame(write: Write): boolean {
  const { proposedValue } = write;
  const value = valueOf(write);
  return (
    value !== null &&
    (value === proposedValue || (value.trim() !== '' && Number(value) === Number(proposedValue)))
  );
}
