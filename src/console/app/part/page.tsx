import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

import { path } from '../client/route.ts';
import { shellWords } from '../word/shell.ts';
import { titleAt } from './pages.ts';

/** How many alarms fire: in the title of the document, which a tab shows. */
export const badge = signal(0);

type Given = {
  /** Without one that of its row in `pages.ts`. */
  title?: string;
  /** Beside the title: the state of what the page is about. */
  state?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** Titles the document, with how many alarms fire. */
export function useTitle(title: string): void {
  const { product } = shellWords();
  const count = badge.value;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · ${product}`;
  }, [title, product, count]);
}

/** A page below its title, which is the document's too. */
export function Page({ title = titleAt(path.value), state, actions, children }: Given) {
  useTitle(title);
  return (
    <div class="page">
      <header class="head">
        <h1>{title}</h1>
        {state}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type SectionGiven = { title: string; actions?: ComponentChildren; children: ComponentChildren };

export const Section = ({ title, actions, children }: SectionGiven) => (
  <section class="section">
    <header class="head">
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
);

const isNothing = (value: ComponentChildren): boolean =>
  value === null || value === undefined || value === false || value === '';

type FactsGiven = { of: readonly (readonly [term: string, value: ComponentChildren])[] };

/** Terms with what they are, without those that are not known. */
export const Facts = ({ of }: FactsGiven) => (
  <dl class="facts">
    {of.map(([term, value]) =>
      isNothing(value) ? null : (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);
