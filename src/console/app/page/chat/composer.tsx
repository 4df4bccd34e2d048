import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { upload } from '../../client/call.ts';
import { type Failure, failureOf, Unreachable } from '../../client/failure.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { messageOf } from '../../part/control/loaded.tsx';
import { sizeOf } from '../../part/value/amount.tsx';
import { Note } from '../../part/value/mark.tsx';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';
import { type Question, stopTurn } from './turn.ts';

type Given = {
  conversationId: string;
  isUnderWay: boolean;
  /** What was said before is not known yet. */
  isOff: boolean;
  send(question: Question): void;
  /** Beside the buttons. */
  children?: ComponentChildren;
};

/** The next message: typed, with files; the button stops the answer while one comes. */
export function Composer({ conversationId, isUnderWay, isOff, send, children }: Given) {
  const w = chatWords();
  const id = useId();
  const typed = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [files, setFiles] = useState<Chosen[]>([]);
  const [isSending, setSending] = useState(false);
  // The page is another one after the first message: typing goes on.
  useLayoutEffect(() => {
    if (isUnderWay) typed.current?.focus();
  }, []);
  const rests = isOff || isUnderWay || isSending;
  async function go(): Promise<void> {
    if (rests || text.trim() === '') return;
    setSending(true);
    const sent = await uploaded(conversationId, files);
    setSending(false);
    setFiles(sent);
    const attachments = sent.flatMap(({ id: attached, file }) =>
      attached === null
        ? []
        : [{ id: attached, fileName: file.name, contentType: file.type, size: file.size }],
    );
    if (attachments.length < sent.length) return;
    setText('');
    setFiles([]);
    send({ text, attachments });
  }
  return (
    <div class="composer">
      <label for={id} class="hidden">
        {w.question}
      </label>
      <textarea
        ref={typed}
        id={id}
        rows={2}
        aria-describedby={`${id}-hint`}
        placeholder={w.question}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter also ends the writing of a Chinese word.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void go();
        }}
      />
      <div class="row">
        {may('svc-center-agentic:attachment:add') && (
          <ChosenFiles files={files} onChange={setFiles} isOff={isSending} />
        )}
        {children}
        <div class="actions">
          {isUnderWay && (
            <Button kind="danger" onPress={() => stopTurn(conversationId)}>
              {w.stop}
            </Button>
          )}
          <Button
            kind="primary"
            isBusy={isSending}
            isOff={isOff || isUnderWay || text.trim() === ''}
            onPress={() => void go()}
          >
            {w.send}
          </Button>
        </div>
      </div>
      <small id={`${id}-hint`} class="quiet">
        {w.hint}
      </small>
    </div>
  );
}

/** Sends the files that the server does not have yet, one after the other. */
async function uploaded(conversationId: string, files: readonly Chosen[]): Promise<Chosen[]> {
  const sent: Chosen[] = [];
  for (const each of files) {
    if (each.id !== null) {
      sent.push(each);
      continue;
    }
    const { file } = each;
    try {
      const given = { conversationId, file };
      const { id } = await upload('POST /agentic/attachment/upload', given, file.name);
      sent.push({ ...each, id, failure: null });
    } catch (error) {
      sent.push({ ...each, failure: failureOf(error) });
    }
  }
  return sent;
}

/** A file chosen for the next message; `id` when the server has it. */
type Chosen = { key: string; file: File; id: string | null; failure: Failure | null };

type FilesGiven = { files: readonly Chosen[]; onChange(files: Chosen[]): void; isOff: boolean };

/** Files for the next message: they go with it, and only then. */
function ChosenFiles({ files, onChange, isOff }: FilesGiven) {
  const w = chatWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {files.length > 0 && (
        <ul class="stack" aria-label={w.files}>
          {files.map((each) => (
            <li key={each.key} class="row">
              <bdi>{each.file.name}</bdi>
              <span class="quiet small">{sizeOf(each.file.size)}</span>
              <Button
                kind="quiet"
                isOff={isOff}
                label={`${w.takeOff} ${each.file.name}`}
                onPress={() => onChange(files.filter(({ key }) => key !== each.key))}
              >
                {w.takeOff}
              </Button>
              {each.failure && <NotTaken failure={each.failure} />}
            </li>
          ))}
        </ul>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onChange([...files, ...[...(currentTarget.files ?? [])].map(chosen)]);
          currentTarget.value = '';
        }}
      />
      <Button isOff={isOff} onPress={() => input.current?.click()}>
        {w.attach}
      </Button>
    </>
  );
}

let count = 0;
const chosen = (file: File): Chosen => {
  count += 1;
  return { key: String(count), file, id: null, failure: null };
};

const NotTaken = ({ failure }: { failure: Failure }) => (
  <Note tone="danger" shape="cross" role="alert">
    {chatWords().notTaken}:{' '}
    {failure instanceof Unreachable ? partWords().unknownEffect : messageOf(failure).text}
  </Note>
);
