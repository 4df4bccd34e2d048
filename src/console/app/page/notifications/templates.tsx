import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { may } from '../../session/session.ts';
import { notificationsWords } from '../../word/alarm/notifications.ts';
import { kindOf, MOST, templatesOf } from './content.ts';
import { RowActions } from './row-actions.tsx';
import { TemplateForm } from './template-form.tsx';

type Template = Schemas['MessageTemplate'];

/** The words of notifications, for rules that do not take the platform's own. */
export function Templates() {
  const all = notificationsWords();
  const w = all.templates;
  const maySee = may('svc-center-data:message:list');
  const asked = useAsk(
    'POST /data/message/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  const [editing, setEditing] = useState<Template | 'new' | null>(null);
  if (!maySee) return null;
  const close = (): void => {
    setEditing(null);
    asked.again();
  };
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-data:message:add') && (
          <Button onPress={() => setEditing('new')}>{w.add}</Button>
        )
      }
    >
      <Loaded asked={asked} rows={2}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none}>{w.next}</Empty>}
            <ul class="list">
              {records.map((template) => (
                <li key={template.id}>
                  <div class="row">
                    <bdi class="strong">{template.messageName}</bdi>
                    <span class="quiet">
                      {templatesOf(template)
                        .map((one) => all.kinds[kindOf(one)])
                        .join(', ')}
                    </span>
                    {template.enableFlag === 'DISABLE' && (
                      <Chip tone="idle" shape="bar" word={all.disabled} />
                    )}
                    <div class="actions">
                      <RowActions
                        noun="template"
                        row={template}
                        name={template.messageName}
                        again={asked.again}
                        onEdit={() => setEditing(template)}
                      />
                    </div>
                  </div>
                </li>
              ))}
            </ul>
            {total > records.length && <p class="small">{all.cut(records.length, total)}</p>}
          </>
        )}
      </Loaded>
      {editing !== null && (
        <TemplateForm template={editing === 'new' ? null : editing} onClose={close} />
      )}
    </Section>
  );
}
