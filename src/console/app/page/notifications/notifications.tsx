import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { titleOf } from '../../route/pages.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { Channels } from './channels.tsx';
import { MOST } from './content.ts';
import { History } from './history.tsx';
import { Policies } from './policies.tsx';
import { Templates } from './templates.tsx';

/** `/notifications`: over which channels people hear of alarms, by which policies and in which words, and what was sent. */
export function Notifications() {
  const w = notificationsWords();
  const channels = useAsk(
    'POST /data/notify/channel/list',
    may('svc-center-data:notify_channel:list') ? { page: { current: 1, size: MOST } } : null,
  );
  return (
    <Page
      title={w.title}
      actions={may('svc-center-data:rule:list') && <Link to="/rules">{titleOf('/rules')}</Link>}
    >
      <p class="quiet">{w.lead}</p>
      <Channels asked={channels} />
      <Policies channels={channels.data?.records ?? []} />
      <Templates />
      <History />
    </Page>
  );
}
