import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ticking } from '../../client/clock.ts';
import { wallWords } from '../../word/wall.ts';

/** How long a part of what does not fit is displayed. */
const TURN_MS = 10_000;

type Given<T> = {
  of: readonly T[];
  keyOf(each: T): string;
  children(each: T): ComponentChildren;
};

/** What fits into the height that is left, part by part: without a hand at it nothing is scrolled. */
export function Cycle<T>({ of, keyOf, children }: Given<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const part = Math.floor(ticking.value / TURN_MS) % starts.length;
  const from = starts[part] ?? 0;
  const to = starts[part + 1] ?? of.length;
  useLayoutEffect(() => {
    const shown = list.current;
    if (!shown) return undefined;
    const measure = (): void =>
      setStarts((before) => {
        const found = startsIn(shown);
        return found.join() === before.join() ? before : found;
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  }, [of.map(keyOf).join()]);
  useLayoutEffect(() => {
    const first = list.current?.children[from];
    if (list.current && first instanceof HTMLElement) list.current.scrollTop = first.offsetTop;
  }, [from, to]);
  return (
    <>
      {starts.length > 1 && (
        <p class="quiet tabular">{wallWords().part(part + 1, starts.length)}</p>
      )}
      <ul class="cycle" ref={list}>
        {of.map((each, index) => (
          <li key={keyOf(each)} class={index < from || index >= to ? 'off' : ''}>
            {children(each)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Of the entries of a list those with which a part begins. */
function startsIn(list: HTMLElement): number[] {
  const starts = [0];
  let top = 0;
  for (const [index, item] of [...list.children].entries()) {
    if (!(item instanceof HTMLElement)) continue;
    const isCut = item.offsetTop + item.offsetHeight > top + list.clientHeight + 1;
    if (!isCut || item.offsetTop === top) continue;
    starts.push(index);
    top = item.offsetTop;
  }
  return starts;
}
