import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

import { Unreachable } from './client/failure.ts';
import { matched, type Parameters, path } from './client/route.ts';
import { Review } from './page/agents/review.tsx';
import { Alarm } from './page/alarms/alarm.tsx';
import { Alarms } from './page/alarms/alarms.tsx';
import { Device } from './page/device/device.tsx';
import type * as Pages from './page/other.ts';
import { Overview } from './page/overview.tsx';
import { Empty, Failed, Skeleton } from './part/control/loaded.tsx';
import { Link } from './part/link.tsx';
import { Page } from './part/page.tsx';
import { type PageName, pages } from './part/pages.ts';
import { shellWords } from './word/shell.ts';

const first = { Alarm, Alarms, Device, Overview, Review };

const isFirst = (name: PageName): name is keyof typeof first => name in first;

/** One component of each page: with another at each drawing it would begin anew. */
const contents = new Map<PageName, ComponentType<Parameters>>();

function contentOf(name: PageName): ComponentType<Parameters> {
  const content = contents.get(name) ?? (isFirst(name) ? first[name] : lazyPage(name));
  contents.set(name, content);
  return content;
}

/** The page that the address names. */
export function CurrentPage() {
  for (const { pattern, page } of pages) {
    const parameters = matched(pattern, path.value);
    if (!parameters) continue;
    const Content = contentOf(page);
    return <Content key={path.value} {...parameters} />;
  }
  const { missing, toOverview } = shellWords();
  return (
    <Page title={missing.title}>
      <Empty title={missing.text}>
        <Link to="/">{toOverview}</Link>
      </Empty>
    </Page>
  );
}

type Others = typeof Pages;

/** What is there after the first look. */
export const others = signal<Others | null>(null);
const isFailed = signal(false);

/** Loads what the first page needs none of, so that going there does not wait for it. */
export async function startLazy(): Promise<void> {
  try {
    others.value = await import('./page/other.ts');
  } catch {
    isFailed.value = true;
  }
}

/** A page that is there once `startLazy` has it. */
const lazyPage = (name: keyof Others) =>
  function Later(given: Parameters) {
    const Content: ComponentType<Parameters> | undefined = others.value?.[name];
    if (Content) return <Content {...given} />;
    // A platform that was updated meanwhile has other files: only the whole document names them.
    if (isFailed.value)
      return <Failed failure={new Unreachable()} again={() => location.reload()} />;
    return <Skeleton rows={6} />;
  };
