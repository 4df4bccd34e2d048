import { useEffect } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Ago } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';
import { addressOf, Found, SearchField, useWords } from './found.tsx';
import { forgetTurn, turnsChanged } from './turn.ts';

type Session = Schemas['Session'];
const SIZE = 20;

type Given = {
  /** The open one. */
  here: string | null;
  /** The open one has another name. */
  renamed(): void;
};

/** The own conversations, the latest first. */
export function Conversations({ here, renamed }: Given) {
  const w = chatWords();
  const current = Math.max(1, Number(query.value.get('page')) || 1);
  const asked = useAsk('POST /agentic/session/list', { page: { current, size: SIZE } });
  const { typed, setTyped, words } = useWords();
  const changes = turnsChanged.value;
  useEffect(() => {
    if (changes > 0) asked.again();
  }, [changes]);
  const changed = (): void => {
    asked.again();
    renamed();
  };
  const pages = asked.data?.pages ?? 0;
  return (
    <aside class="conversations" aria-label={w.list}>
      <h2>{w.list}</h2>
      <SearchField typed={typed} setTyped={setTyped} />
      {words !== '' && <Found words={words} />}
      {words === '' && (
        <>
          <List asked={asked} rows={4} none={<p class="quiet">{w.noList}</p>}>
            {(each) => (
              <Row
                key={each.id}
                conversation={each}
                isHere={each.conversationId === here}
                changed={changed}
              />
            )}
          </List>
          {asked.data && (pages > 1 || current > 1) && (
            <div class="row">
              <Button isOff={current === 1} onPress={() => turnTo(current - 1)}>
                {partWords().back}
              </Button>
              <Button isOff={current >= pages} onPress={() => turnTo(current + 1)}>
                {partWords().next}
              </Button>
            </div>
          )}
        </>
      )}
    </aside>
  );
}

const turnTo = (page: number): void => setQuery({ page: page === 1 ? null : String(page) }, false);

type RowGiven = { conversation: Session; isHere: boolean; changed(): void };

function Row({ conversation, isHere, changed }: RowGiven) {
  const w = chatWords();
  const remove = useAct('POST /agentic/session/delete');
  const { conversationId, title, operateTime } = conversation;
  const page = query.value.get('page');
  return (
    <li>
      <Link
        to={`${addressOf(conversationId)}${page === null ? '' : `?page=${page}`}`}
        isHere={isHere}
      >
        <bdi>{title}</bdi>
      </Link>
      <div class="row">
        <small class="quiet">
          <Ago at={operateTime} />
        </small>
        <div class="actions">
          {may('svc-center-agentic:session:update') && (
            <Opener kind="quiet" word={w.rename} label={`${w.rename} ${title}`}>
              {(close) => <Rename conversation={conversation} changed={changed} onClose={close} />}
            </Opener>
          )}
          {may('svc-center-agentic:session:delete') && (
            <AskButton
              kind="quiet"
              label={`${partWords().delete} ${title}`}
              title={w.removeTitle}
              act={remove}
              run={() => remove.run({ conversationId })}
              done={() => {
                forgetTurn(conversationId);
                changed();
                if (isHere) navigate('/chat');
              }}
            >
              <p>
                <bdi class="strong">{title}</bdi>
              </p>
              <p>{w.removeMeans}</p>
            </AskButton>
          )}
        </div>
      </div>
    </li>
  );
}

type RenameGiven = {
  conversation: Pick<Schemas['Session'], 'conversationId' | 'title'>;
  changed(): void;
  onClose(): void;
};

function Rename({ conversation: { conversationId, title }, changed, onClose }: RenameGiven) {
  const w = chatWords();
  const form = useForm('POST /agentic/session/update', {
    fields: { title },
    input: (given) => (given.title.trim() === '' ? null : { conversationId, ...given }),
    done() {
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.renameTitle} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('title')} />
    </FormDialog>
  );
}
