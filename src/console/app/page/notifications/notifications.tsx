import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Disabled } from '../../part/value/mark.tsx';
import { channelKindWords } from '../../word/channel-kinds.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { Channels } from './channels.tsx';
import { History } from './history.tsx';
import { Policies } from './policies.tsx';
import { forOf, MOST, templatesOf } from './policy/content.ts';
import { RowActions, RowList } from './row-list.tsx';
import { TemplateForm } from './template-form.tsx';

/** `/notifications`: over which channels people hear of alarms, by which policies and in which words, and what was sent. */
export function Notifications() {
  const w = notificationsWords();
  const channels = useAsk(
    'POST /data/notify/channel/list',
    may('svc-center-data:notify_channel:list') ? { page: { current: 1, size: MOST } } : null,
  );
  return (
    <Page
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

/** The words of notifications, for rules that do not take the platform's own. */
function Templates() {
  const w = notificationsWords();
  const maySee = may('svc-center-data:message:list');
  const asked = useAsk(
    'POST /data/message/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  if (!maySee) return null;
  return (
    <RowList
      noun="template"
      words={w.templates}
      asked={asked}
      rows={2}
      sorts={{ name: (template) => template.messageName }}
      row={(template, use) => (
        <li key={template.id}>
          <div class="row">
            <bdi class="strong">{template.messageName}</bdi>
            <span class="quiet">
              {[
                ...new Set(
                  templatesOf(template).map((one) => channelKindWords()[forOf(one).kind].name),
                ),
              ].join(', ')}
            </span>
            <Disabled of={template} />
            <div class="actions">
              <RowActions noun="template" row={template} name={template.messageName} {...use} />
            </div>
          </div>
        </li>
      )}
      form={(template, onClose) => <TemplateForm template={template} onClose={onClose} />}
    />
  );
}
