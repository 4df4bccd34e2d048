import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Chip } from '../../part/value/mark.tsx';
import { notificationsWords } from '../../word/notifications.ts';
import { kindOf, MOST, templatesOf } from './content.ts';
import { RowActions } from './row-actions.tsx';
import { RowList } from './row-list.tsx';
import { TemplateForm } from './template-form.tsx';

/** The words of notifications, for rules that do not take the platform's own. */
export function Templates() {
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
      row={(template, use) => (
        <li key={template.id}>
          <div class="row">
            <bdi class="strong">{template.messageName}</bdi>
            <span class="quiet">
              {templatesOf(template)
                .map((one) => w.kinds[kindOf(one)])
                .join(', ')}
            </span>
            {template.enableFlag === 'DISABLE' && (
              <Chip tone="idle" shape="bar" word={w.disabled} />
            )}
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
