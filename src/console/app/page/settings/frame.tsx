import type { ComponentChildren } from 'preact';

import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { path } from '../../route/route.ts';
import { isOfPlatform, may } from '../../session/session.ts';
import { settingsWords } from '../../word/settings/settings.ts';
import { shellWords } from '../../word/shell.ts';

type Given = {
  title: string;
  state?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A page of the settings, below the way to the others that the person may see. */
export function SettingsPage({ children, ...page }: Given) {
  const w = settingsWords();
  const { pages } = shellWords();
  const parts = [
    ['/settings', w.own, true],
    ['/settings/people', pages.people, may('svc-center-auth:user:list')],
    ['/settings/roles', pages.roles, may('svc-center-auth:role:list')],
    ['/settings/models', pages.models, may('svc-center-agentic:provider:list')],
    ['/settings/usage', pages.usage, may('svc-center-agentic:usage:list')],
    ['/settings/tenants', pages.tenants, isOfPlatform() && may('svc-center-auth:tenant:list')],
  ] as const;
  const isHere = (to: string): boolean =>
    path.value === to || (to !== '/settings' && path.value.startsWith(`${to}/`));
  return (
    <Page {...page}>
      <nav class="parts" aria-label={w.parts}>
        {parts.map(
          ([to, name, isShown]) =>
            isShown && (
              <Link key={to} to={to} isHere={isHere(to)}>
                {name}
              </Link>
            ),
        )}
      </nav>
      {children}
    </Page>
  );
}
