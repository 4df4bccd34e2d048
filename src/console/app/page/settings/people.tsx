import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { Button } from '../../part/button.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Chip } from '../../part/mark.tsx';
import { Section } from '../../part/page.tsx';
import { query, setQuery } from '../../route/route.ts';
import { may } from '../../session/session.ts';
import { partWords } from '../../word/part.ts';
import { settingsWords } from '../../word/settings.ts';
import { NewPerson } from './new-person.tsx';

const SIZE = 20;

/** The people of the tenant. */
export function People() {
  const w = settingsWords().people;
  const maySee = may('svc-center-auth:user_profile:list');
  const current = Math.max(1, Number(query.value.get('people') ?? '1') || 1);
  const asked = useAsk(
    'POST /auth/user_profile/list',
    maySee ? { page: { current, size: SIZE } } : null,
  );
  const [isAdding, setAdding] = useState(false);
  if (!maySee) return null;
  const mayAdd =
    may('svc-center-auth:user_profile:add') && may('svc-center-auth:local_credential:add');
  return (
    <Section
      title={w.title}
      actions={mayAdd && <Button onPress={() => setAdding(true)}>{w.add}</Button>}
    >
      <Loaded asked={asked} rows={4}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none} />}
            <ul class="list">
              {records.map((person) => (
                <li key={person.id}>
                  <div class="row">
                    <bdi class="strong">{person.nickName || person.userName}</bdi>
                    <bdi class="quiet">{person.userName}</bdi>
                    <bdi class="quiet">{person.email}</bdi>
                    {person.enableFlag === 'DISABLE' && (
                      <Chip tone="idle" shape="bar" word={w.disabled} />
                    )}
                  </div>
                </li>
              ))}
            </ul>
            {total > SIZE && (
              <div class="row">
                <span class="quiet tabular">
                  {partWords().of((current - 1) * SIZE + records.length, total)}
                </span>
                {current > 1 && (
                  <Button onPress={() => setQuery({ people: String(current - 1) }, false)}>
                    {partWords().back}
                  </Button>
                )}
                {current * SIZE < total && (
                  <Button onPress={() => setQuery({ people: String(current + 1) }, false)}>
                    {partWords().next}
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </Loaded>
      {isAdding && (
        <NewPerson
          onClose={() => {
            setAdding(false);
            asked.again();
          }}
        />
      )}
    </Section>
  );
}
