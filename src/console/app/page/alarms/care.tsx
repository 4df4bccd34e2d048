import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextArea, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Empty, RefusedNote } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { Moment } from '../../part/value/time.tsx';
import { alarmsWords } from '../../word/alarms.ts';

type Report = Schemas['AlarmReport'];
type Given = { report: Report; again(): void };

const RIGHT = 'svc-center-data:alarm:confirm';
const NOBODY = '0';
const MOST_PEOPLE = 100;

/** Gives an alarm to a person who looks after it. */
export function Assign({ report, again }: Given) {
  const w = alarmsWords().assign;
  if (!may(RIGHT)) return null;
  return (
    <Opener word={w.go}>
      {(close) => <Assigning report={report} again={again} onClose={close} />}
    </Opener>
  );
}

function Assigning({ report, again, onClose }: Given & { onClose(): void }) {
  const w = alarmsWords().assign;
  const [name, setName] = useState('');
  const self = session.value?.person.principalId ?? NOBODY;
  const people = useAsk(
    'POST /auth/user_profile/list',
    may('svc-center-auth:user:list')
      ? { page: { current: 1, size: MOST_PEOPLE }, ...(name !== '' && { userName: name }) }
      : null,
  );
  const isLong = name !== '' || (people.data?.total ?? 0) > MOST_PEOPLE;
  const form = useForm('POST /data/dashboard/alert/assign', {
    fields: { principalId: report.assignee?.id ?? NOBODY },
    input: ({ principalId }) => ({ id: report.alarmId, principalId }),
    done() {
      announce(w.done);
      onClose();
    },
    ended: again,
  });
  const known = new Map([
    [NOBODY, w.nobody],
    [self, w.me],
    ...(report.assignee && report.assignee.id !== self
      ? [[report.assignee.id, report.assignee.name] as const]
      : []),
    ...(people.data?.records ?? []).flatMap(({ principalId, nickName, userName }) =>
      principalId === self ? [] : [[principalId, nickName || userName] as const],
    ),
  ]);
  return (
    <FormDialog title={w.title} go={w.go} {...form.sends} onClose={onClose}>
      {isLong && <TextField label={w.search} type="search" value={name} onChange={setName} />}
      <Choice label={w.who} {...form.of('principalId')} options={[...known]} />
    </FormDialog>
  );
}

/** What people wrote about an alarm, and a further comment. */
export function Comments({ report, again }: Given) {
  const w = alarmsWords().comments;
  return (
    <Section title={w.title}>
      {report.comments.length === 0 && <Empty title={w.none} />}
      <ul class="list">
        {report.comments.map(({ at, by, text }) => (
          <li key={`${at} ${text}`}>
            <div class="row">
              <bdi class="strong">{by}</bdi>
              <Moment at={at} />
            </div>
            <bdi class="typed">{text}</bdi>
          </li>
        ))}
      </ul>
      {may(RIGHT) && <Writing report={report} again={again} />}
    </Section>
  );
}

function Writing({ report, again }: Given) {
  const w = alarmsWords().comments;
  const form = useForm('POST /data/dashboard/alert/comment', {
    fields: { text: '' },
    input: ({ text }) => ({ id: report.alarmId, text }),
    done() {
      announce(w.done);
      form.set({ text: '' });
    },
    ended: again,
  });
  const { isRunning, isOff, failure, onGo } = form.sends;
  return (
    <div class="stack">
      <TextArea label={w.text} {...form.of('text')} rows={2} />
      <RefusedNote failure={failure} />
      <div class="row">
        <Button isBusy={isRunning} isOff={isOff} onPress={onGo}>
          {w.go}
        </Button>
      </div>
    </div>
  );
}
