import { Link } from '../route/link.tsx';
import { type Block, blocksOf, type Piece, piecesOf } from './prose.ts';

/** A text of a model, built from elements: what looks like markup is shown as it was written. */
export const Prose = ({ text }: { text: string }) => (
  <div class="prose">
    {blocksOf(text).map((block, index) => (
      <Part key={index} block={block} />
    ))}
  </div>
);

function Part({ block: { is, lines } }: { block: Block }) {
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
          <Line line={line} />
        </>
      ))}
    </p>
  );
}

const item = (line: string, index: number) => (
  <li key={index} dir="auto">
    <Line line={line} />
  </li>
);

const Line = ({ line }: { line: string }) => <>{piecesOf(line, location.origin).map(drawn)}</>;

function drawn(piece: Piece, index: number) {
  if (piece.is === 'code') return <code key={index}>{piece.text}</code>;
  if (piece.is === 'strong') return <strong key={index}>{piece.text}</strong>;
  if (piece.is === 'link')
    return (
      <Link key={index} to={piece.to}>
        {piece.text}
      </Link>
    );
  return piece.text;
}
