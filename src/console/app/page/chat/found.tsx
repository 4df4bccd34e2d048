import { useEffect, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { TextField } from '../../part/control/field.tsx';
import { List } from '../../part/control/list.tsx';
import { Link } from '../../part/link.tsx';
import { Ago } from '../../part/value/time.tsx';
import { chatWords } from '../../word/chat.ts';

const TYPING_MS = 300;

/** The words to look for, once the person has stopped typing. */
export function useWords(): { typed: string; setTyped(text: string): void; words: string } {
  const [typed, setTyped] = useState('');
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, words };
}

export const SearchField = ({
  typed,
  setTyped,
}: {
  typed: string;
  setTyped(text: string): void;
}) => <TextField label={chatWords().search} value={typed} onChange={setTyped} />;

/** The own conversations that have these words, with where they are. */
export function Found({ words }: { words: string }) {
  const w = chatWords();
  const asked = useAsk('POST /agentic/session/search', { words });
  return (
    <List asked={asked} rows={4} none={<p class="quiet">{w.noneFound}</p>}>
      {({ conversationId, title, excerpt, operateTime }) => (
        <li key={conversationId}>
          <Link to={addressOf(conversationId)}>
            <bdi>{title}</bdi>
          </Link>
          {excerpt !== '' && (
            <p class="small excerpt">
              <bdi>{excerpt}</bdi>
            </p>
          )}
          <small class="quiet">
            <Ago at={operateTime} />
          </small>
        </li>
      )}
    </List>
  );
}

export const addressOf = (conversationId: string): string =>
  `/chat/${encodeURIComponent(conversationId)}`;
