import { Empty } from '../part/loaded.tsx';
import { Page } from '../part/page.tsx';
import { Link } from '../route/link.tsx';
import { matched, path } from '../route/route.ts';
import { shellWords } from '../word/shell.ts';
import { pages } from './pages.ts';

/** The page that the address names. */
export function Here() {
  for (const { pattern, page: Content } of pages) {
    const parameters = matched(pattern, path.value);
    if (parameters) return <Content key={path.value} {...parameters} />;
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
