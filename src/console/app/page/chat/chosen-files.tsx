import { useRef } from 'preact/hooks';

import { type Failure, Unreachable } from '../../client/failure.ts';
import { Button } from '../../part/control/button.tsx';
import { messageOf } from '../../part/control/loaded.tsx';
import { Mark } from '../../part/value/mark.tsx';
import { sizeOf } from '../../part/value/size.ts';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';

/** A file chosen for the next message; `id` when the server has it. */
export type Chosen = { key: string; file: File; id: string | null; failure: Failure | null };

type Given = { files: readonly Chosen[]; onChange(files: Chosen[]): void; isOff: boolean };

/** Files for the next message: they go with it, and only then. */
export function ChosenFiles({ files, onChange, isOff }: Given) {
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
  <p class="note danger" role="alert">
    <Mark shape="cross" />
    <span>
      {chatWords().notTaken}:{' '}
      {failure instanceof Unreachable ? partWords().unknownEffect : messageOf(failure).text}
    </span>
  </p>
);
