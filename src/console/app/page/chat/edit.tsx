import { useId, useState } from 'preact/hooks';

import { Button } from '../../part/control/button.tsx';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';

type Given = { text: string; send(text: string): void; onClose(): void };

/** Another wording of a question: what came after it stays on a branch of its own. */
export function Edit({ text, send, onClose }: Given) {
  const w = chatWords();
  const id = useId();
  const [typed, setTyped] = useState(text);
  return (
    <div class="stack">
      <label for={id}>{w.editTitle}</label>
      <textarea
        id={id}
        rows={3}
        value={typed}
        ref={(element) => element?.focus()}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div class="row">
        <Button onPress={onClose}>{partWords().cancel}</Button>
        <Button
          kind="primary"
          isOff={typed.trim() === ''}
          onPress={() => {
            send(typed);
            onClose();
          }}
        >
          {w.send}
        </Button>
      </div>
    </div>
  );
}
