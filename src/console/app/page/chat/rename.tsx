import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { chatWords } from '../../word/chat.ts';

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
    <FormDialog
      title={w.renameTitle}
      go={w.save}
      isRunning={update.isRunning}
      isOff={name.trim() === ''}
      failure={update.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(update.failure, 'title')}
      />
    </FormDialog>
  );
}
