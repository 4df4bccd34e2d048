import type { Schemas } from '../../client/operations.ts';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { chatWords } from '../../word/chat.ts';

type Given = {
  conversation: Pick<Schemas['Session'], 'conversationId' | 'title'>;
  changed(): void;
  onClose(): void;
};

/** Gives a conversation another name. */
export function Rename({ conversation: { conversationId, title }, changed, onClose }: Given) {
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
    <FormDialog title={w.renameTitle} go={w.save} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('title')} />
    </FormDialog>
  );
}
