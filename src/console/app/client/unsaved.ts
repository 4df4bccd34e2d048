import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** Forms with something entered, and whether that stays when another page of the console is shown. */
const held = new Map<object, { isKept: boolean }>();

/** What was asked for while something entered is not saved: gone on with once the person has agreed. */
export const leaving = signal<(() => void) | null>(null);

/** Nothing entered vanishes without a question while `isUnsaved`; `isKept`: other pages of the console do not lose it. */
export function useUnsaved(isUnsaved: boolean, { isKept = false } = {}): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined;
    const form = {};
    held.set(form, { isKept });
    return () => void held.delete(form);
  }, [isUnsaved, isKept]);
}

/** How many forms would lose what was entered. */
export const unsaved = (): number => [...held.values()].filter(({ isKept }) => !isKept).length;

/** Does it at once, or asks first where more than `but` forms would lose what was entered. */
export function leave(go: () => void, but = 0): void {
  if (unsaved() > but) leaving.value = go;
  else go();
}

/** The person gives up what was entered. */
export function giveUp(): void {
  const go = leaving.value;
  leaving.value = null;
  held.clear();
  go?.();
}

globalThis.addEventListener('beforeunload', (event) => {
  if (held.size > 0) event.preventDefault();
});
