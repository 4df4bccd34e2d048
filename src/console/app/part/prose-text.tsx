import type { ComponentChildren } from 'preact';

import { Link } from './link.tsx';
import { type Block, blocksOf, cellsOf, type Piece, piecesOf } from './prose.ts';

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
  if (is === 'table') return <Rows lines={lines} mark={mark} />;
  const text = lines.map((line, index) => (
    <>
      {index > 0 && <br />}
      <Line line={line} mark={mark} />
    </>
  ));
  if (is === 'quote') return <blockquote dir="auto">{text}</blockquote>;
  return (
    <p class={is === 'heading' ? 'strong' : ''} dir="auto">
      {text}
    </p>
  );
}

/** A table of a text: the names of its columns, then its rows. */
function Rows({ lines: [head = '', ...rows], mark }: { lines: readonly string[]; mark: Mark }) {
  const cells = (line: string) =>
    cellsOf(line).map((cell, index) => ({ index, drawn: <Line line={cell} mark={mark} /> }));
  return (
    <div class="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {cells(head).map(({ index, drawn: name }) => (
              <th key={index} scope="col" dir="auto">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {cells(row).map(({ index, drawn: cell }) => (
                <td key={index} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
