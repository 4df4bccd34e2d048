import { signal } from '@preact/signals';

const said = signal<{ text: string; id: number }>({ text: '', id: 0 });

/** Says `text` on the screen for a while and to screen readers: what an action led to. */
export function announce(text: string): void {
  const id = said.value.id + 1;
  said.value = { text, id };
  setTimeout(() => {
    if (said.value.id === id) said.value = { text: '', id };
  }, 6_000);
}

/** Where it is said; once in the document. */
export const Announcements = () => (
  <div class={said.value.text === '' ? 'announce' : 'announce shown'} role="status">
    {said.value.text}
  </div>
);
