import { useAsk } from '../client/ask.ts';
import { type Parameters, query, setQuery } from '../client/route.ts';
import { Button } from '../part/control/button.tsx';
import { Loaded } from '../part/control/loaded.tsx';
import { Link } from '../part/link.tsx';
import { Owner } from '../part/manuals.tsx';
import { Facts, Page, Section } from '../part/page.tsx';
import { titleOf } from '../part/pages.ts';
import { Moment } from '../part/value/time.tsx';
import { manualsWords } from '../word/manuals.ts';

const PAGE = 'page';

/** `/manuals/:id`: a manual, page by page. */
export function Manual({ id = '' }: Parameters) {
  const w = manualsWords();
  const asked = useAsk('GET /agentic/manual/get_by_id', { id });
  const toAll = <Link to="/manuals">{w.toAll}</Link>;
  return (
    <Page title={asked.data?.manualName ?? titleOf('/manuals')} actions={toAll}>
      <Loaded asked={asked} rows={6} elsewhere={toAll}>
        {(manual) => (
          <>
            <Text id={id} pages={manual.pages} />
            <Facts
              of={[
                [w.of, <Owner key="of" of={manual} />],
                [w.document, <bdi key="file">{manual.document}</bdi>],
                [w.kind, <code key="kind">{manual.contentType}</code>],
                ['SHA-256', <code key="digest">{manual.sha256}</code>],
                [w.remark, manual.remark !== '' && <bdi key="remark">{manual.remark}</bdi>],
                [w.made, <Moment key="made" at={manual.createTime} />],
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Text({ id, pages }: { id: string; pages: number }) {
  const w = manualsWords();
  const wanted = Number.parseInt(query.value.get(PAGE) ?? '1', 10) || 1;
  const page = Math.min(Math.max(1, wanted), pages);
  const asked = useAsk('GET /agentic/manual/get_page', { id, page });
  const to = (next: number): void => setQuery({ [PAGE]: String(next) }, false);
  return (
    <Section
      title={w.page(page, pages)}
      actions={
        <>
          {page > 1 && <Button onPress={() => to(page - 1)}>{w.before}</Button>}
          {page < pages && <Button onPress={() => to(page + 1)}>{w.next}</Button>}
        </>
      }
    >
      <Loaded asked={asked} rows={8}>
        {({ text }) => (
          <p class="typed">
            <bdi>{text}</bdi>
          </p>
        )}
      </Loaded>
    </Section>
  );
}
