import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { RefusedNote } from '../../part/refused.tsx';
import { chatWords } from '../../word/chat.ts';
import { partWords } from '../../word/part.ts';

type Given = {
  conversation: Pick<Schemas['Session'], 'conversationId' | 'title'>;
  changed(): void;
  onClose(): void;
};

/** Gives a conversation another name. */
export function Rename({ conversation: { conversationId, title }, changed, onClose }: Given) {
  const w = chatWords();
  const [name, setName] = useState(title);
  const update = useAct('POST /agentic/session/update');
  const go = async (): Promise<void> => {
    if ((await update.run({ conversationId, title: name })) === null) return;
    changed();
    onClose();
  };
  return (
    <Dialog
      title={w.renameTitle}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{partWords().cancel}</Button>
          <Button
            kind="primary"
            isBusy={update.isRunning}
            isOff={name.trim() === ''}
            onPress={() => void go()}
          >
            {w.save}
          </Button>
        </>
      }
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(update.failure, 'title')}
      />
      <RefusedNote failure={update.failure} />
    </Dialog>
  );
}
