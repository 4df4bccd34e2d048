import { useEffect, useRef } from 'preact/hooks';

import { onEvent, watch } from './live.ts';
import type { Schemas } from './operations.ts';

type Kind = Schemas['LiveEvent']['kind'];

/** Hears values of `points` (`DEVICE:POINT`) and the status of `devices` while the component is there. */
export function useWatch(points: readonly string[], devices: readonly string[] = []): void {
  const key = `${points.join()} ${devices.join()}`;
  useEffect(() => watch({ points, devices }), [key]);
}

/** Calls `again` after events of these kinds (at most twice a second), and after a gap of the stream. */
export function useAgainOn(kinds: readonly Kind[], again: () => void): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      if (event !== 'gap' && !kinds.includes(event.kind)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, 500);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [kinds.join()]);
}

/** Calls `again` every `ms` while the component is there and the page is seen: for what the stream does not carry. */
export function useEvery(ms: number, again: () => void): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
