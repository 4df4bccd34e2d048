import { useAsk } from '../../client/ask.ts';
import { isOfPlatform } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { pageIn } from '../../part/control/pager.tsx';
import { Search } from '../../part/control/search.tsx';
import { Page } from '../../part/page.tsx';
import { query } from '../../route/route.ts';
import { waitingWords } from '../../word/waiting.ts';
import { Row } from './waiting-row.tsx';

const SIZE = 20;
const EVERY_MS = 10_000;

/** `/devices/waiting`: endpoints that were refused because no device has them. */
export function Waiting() {
  const w = waitingWords();
  const endpoint = query.value.get('endpoint') ?? '';
  const asked = useAsk('POST /manager/device/waiting/list', {
    page: pageIn('page', SIZE),
    ...(endpoint !== '' && { endpoint }),
  });
  useEvery(EVERY_MS, asked.again);
  return (
    <Page title={w.title}>
      <p class="quiet">
        {w.lead} {!isOfPlatform() && w.leadOthers}
      </p>
      <div class="row filters">
        <Search label={w.search} name="endpoint" page="page" />
      </div>
      <List asked={asked} page="page" rows={3} none={<Empty title={w.none}>{w.noneNext}</Empty>}>
        {(one) => <Row key={one.id} one={one} changed={asked.again} />}
      </List>
    </Page>
  );
}
