import type { ComponentChildren } from 'preact';

import { Link } from './link.tsx';
import { type Block, blocksOf, type Piece, piecesOf } from './prose.ts';

/** Draws a piece of plain text. */
type Mark = (text: string) => ComponentChildren;
const plain: Mark = (text) => text;

/** A text of a model, built from elements: what looks like markup is shown as it was written. */
export const Prose = ({ text, mark = plain }: { text: string; mark?: Mark }) => (
  <div class="prose">
    {blocksOf(text).map((block, index) => (
      <Part key={index} block={block} mark={mark} />
    ))}
  </div>
);

function Part({ block: { is, lines }, mark }: { block: Block; mark: Mark }) {
  const item = (line: string, index: number) => (
    <li key={index} dir="auto">
      <Line line={line} mark={mark} />
    </li>
  );
  if (is === 'code')
    return (
      <pre tabIndex={0}>
        <code>{lines.join('\n')}</code>
      </pre>
    );
  if (is === 'bullets') return <ul>{lines.map(item)}</ul>;
  if (is === 'numbers') return <ol>{lines.map(item)}</ol>;
  return (
    <p class={is === 'heading' ? 'strong' : ''} dir="auto">
      {lines.map((line, index) => (
        <>
          {index > 0 && <br />}
          <Line line={line} mark={mark} />
        </>
      ))}
    </p>
  );
}

const Line = ({ line, mark }: { line: string; mark: Mark }) => (
  <>{piecesOf(line, location.origin).map((piece, index) => drawn(piece, index, mark))}</>
);

function drawn(piece: Piece, index: number, mark: Mark) {
  if (piece.is === 'code') return <code key={index}>{piece.text}</code>;
  if (piece.is === 'strong') return <strong key={index}>{mark(piece.text)}</strong>;
  if (piece.is === 'link')
    return (
      <Link key={index} to={piece.to}>
        {piece.text}
      </Link>
    );
  return <span key={index}>{mark(piece.text)}</span>;
}
