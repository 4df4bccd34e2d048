import type { ComponentChildren } from 'preact';

import { path } from '../../client/route.ts';
import { isOfPlatform, may } from '../../client/session.ts';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { pages, titleIn } from '../../part/pages.ts';
import { settingsWords } from '../../word/settings.ts';

type Given = {
  title?: string;
  state?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A page of the settings, below the way to the others that the person may see. */
export function SettingsPage({ children, ...page }: Given) {
  const w = settingsWords();
  const others = pages.flatMap(({ pattern, title, needs = '' }) =>
    title && pattern.startsWith('/settings/') && may(needs)
      ? [[pattern, titleIn(title)] as const]
      : [],
  );
  const parts = [['/settings', w.own] as const, ...others].filter(
    ([to]) => to !== '/settings/tenants' || isOfPlatform(),
  );
  const isHere = (to: string): boolean =>
    path.value === to || (to !== '/settings' && path.value.startsWith(`${to}/`));
  return (
    <Page {...page}>
      <nav class="parts" aria-label={w.parts}>
        {parts.map(([to, name]) => (
          <Link key={to} to={to} isHere={isHere(to)}>
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
