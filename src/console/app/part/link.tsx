import type { ComponentChildren } from 'preact';

import { hrefOf, navigate } from '../client/route.ts';
import { leave } from '../client/unsaved.ts';

type Given = {
  to: string;
  children: ComponentChildren;
  class?: string;
  label?: string;
  /** Whether it leads to where the person is. */
  isHere?: boolean;
};

/** A link to a page of the console: opens here, or elsewhere when the person asks for it with a key. */
export function Link({ to, children, class: name = '', label, isHere = false }: Given) {
  return (
    <a
      href={hrefOf(to)}
      class={name}
      {...(label !== undefined && { 'aria-label': label })}
      {...(isHere && { 'aria-current': 'page' })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        leave(() => navigate(to));
      }}
    >
      {children}
    </a>
  );
}
