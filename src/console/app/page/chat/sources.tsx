import type { ComponentChildren } from 'preact';

import { Link } from '../../part/link.tsx';
import { Moment } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';
import type { Citation } from './turn.ts';

const FIGURE = /[-−]?\d+(?:[.,]\d+)?/g;

/** Puts the number of its source behind each cited figure of a piece of `text`. */
export const marking =
  (text: string, citations: readonly Citation[]) =>
  (piece: string): ComponentChildren => {
    if (citations.length === 0) return piece;
    const refs = new Map(citations.map(({ start, end, ref }) => [text.slice(start, end), ref]));
    const parts: ComponentChildren[] = [];
    let at = 0;
    for (const { 0: figure, index } of piece.matchAll(FIGURE)) {
      const ref = refs.get(figure);
      if (ref === undefined) continue;
      const end = index + figure.length;
      parts.push(
        piece.slice(at, end),
        <sup key={end} class="ref">
          {ref}
        </sup>,
      );
      at = end;
    }
    return [...parts, piece.slice(at)];
  };

/** The values behind the figures of an answer: of which point, and of when; and the pages of manuals that it names. */
export function Sources({ citations }: { citations: readonly Citation[] }) {
  const w = chatWords();
  if (citations.length === 0) return null;
  return (
    <ol class="sources small" aria-label={w.sources}>
      {citations.map((citation) => (
        <li key={citation.ref}>
          {citation.kind === 'page' ? <OfPage {...citation} /> : <OfValue {...citation} />}
        </li>
      ))}
    </ol>
  );
}

function OfPage({ manual_id: manualId = '', value: page, label }: Citation) {
  const w = chatWords();
  return (
    <Link to={`/manuals/${manualId}?page=${page}`}>
      <bdi>{label}</bdi>
      {' · '}
      {w.page(page)}
    </Link>
  );
}

function OfValue({ value, unit, label, device_id: deviceId, as_of: at }: Citation) {
  return (
    <>
      <span class="tabular">
        {value} {unit}
      </span>
      {' · '}
      {deviceId === null ? (
        <bdi>{label}</bdi>
      ) : (
        <Link to={`/devices/${deviceId}`}>
          <bdi>{label}</bdi>
        </Link>
      )}
      {at !== null && (
        <span class="quiet">
          {' · '}
          <Moment at={at} />
        </span>
      )}
    </>
  );
}
