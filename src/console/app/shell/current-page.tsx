import type { ComponentType } from 'preact';

import { Alarm } from '../page/alarms/alarm.tsx';
import { Alarms } from '../page/alarms/alarms.tsx';
import { Device } from '../page/device/device.tsx';
import { Devices } from '../page/devices/devices.tsx';
import { Overview } from '../page/overview/overview.tsx';
import { Proposals } from '../page/proposals/proposals.tsx';
import { Review } from '../page/proposals/review.tsx';
import { Empty } from '../part/control/loaded.tsx';
import { Page } from '../part/page.tsx';
import { Link } from '../route/link.tsx';
import { type PageName, pages } from '../route/pages.ts';
import { matched, type Parameters, path } from '../route/route.ts';
import { shellWords } from '../word/shell.ts';
import { lazyPage } from './lazy.tsx';

const first = { Alarm, Alarms, Device, Devices, Overview, Proposals, Review };

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
