import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type Given = {
  /** Rows of the whole list. */
  total: number;
  /** Height of each, px. */
  rowHeight: number;
  /** Rows of a chunk: what is asked for at once. */
  size: number;
  label: string;
  /** The rows of a chunk, the first is 0. */
  draw(chunk: number): ComponentChildren;
};

/**
 * A list as high as all of its rows, of which only the chunks near the window are in the document: two or three,
 * however long it is.
 */
export function Chunked({ total, rowHeight, size, label, draw }: Given) {
  const list = useRef<HTMLDivElement>(null);
  const [[first, last], setShown] = useState<readonly [number, number]>([0, 0]);
  useEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const chunkAt = (y: number): number => Math.floor((y - top) / (rowHeight * size));
      const from = Math.max(0, chunkAt(0));
      const to = Math.max(from, chunkAt(innerHeight));
      setShown((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [total, rowHeight, size]);
  const chunks = Math.ceil(total / size);
  const shown = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return (
    <div
      ref={list}
      class="chunked"
      role="list"
      aria-label={label}
      style={{ height: `${total * rowHeight}px` }}
    >
      {shown
        .filter((chunk) => chunk < chunks)
        .map((chunk) => (
          <div
            key={chunk}
            class="chunk"
            role="presentation"
            style={{ transform: `translateY(${chunk * size * rowHeight}px)` }}
          >
            {draw(chunk)}
          </div>
        ))}
    </div>
  );
}
