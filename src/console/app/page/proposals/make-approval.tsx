import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { partWords } from '../../word/part.ts';
import { approvalsWords } from '../../word/proposal/approvals.ts';
import { type Draft, draftOf, inputOf, isWhole } from './approval-draft.ts';
import { Form } from './approval-form.tsx';

/** Approves writes beforehand: what is asked for, then the card, and approving exactly that card. */
export function Make({ onClose }: { onClose(): void }) {
  const w = approvalsWords();
  const [draft, setDraft] = useState<Draft>(draftOf);
  const [card, setCard] = useState<{ say: string; digest: string } | null>(null);
  const preview = useAct('POST /agentic/approval/preview');
  const add = useAct('POST /agentic/approval/add');
  const look = async (): Promise<void> => {
    const seen = await preview.run(inputOf(draft));
    if (seen) setCard(seen);
  };
  const approve = async (digest: string): Promise<void> => {
    const done = await add.run({ ...inputOf(draft), digest });
    if (done) onClose();
  };
  return (
    <Dialog
      title={w.make}
      onClose={onClose}
      isWide
      actions={
        card === null ? (
          <>
            <Button onPress={onClose}>{partWords().cancel}</Button>
            <Button
              kind="primary"
              isBusy={preview.isRunning}
              isOff={!isWhole(draft)}
              onPress={() => void look()}
            >
              {w.look}
            </Button>
          </>
        ) : (
          <>
            <Button
              onPress={() => {
                setCard(null);
                add.forgive();
              }}
            >
              {w.change}
            </Button>
            <Button kind="primary" isBusy={add.isRunning} onPress={() => void approve(card.digest)}>
              {w.approve}
            </Button>
          </>
        )
      }
    >
      {card === null ? (
        <Form draft={draft} change={(given) => setDraft({ ...draft, ...given })} />
      ) : (
        <>
          <p class="outcome" lang="en">
            {card.say}
          </p>
          <p class="quiet">{w.means}</p>
        </>
      )}
      <RefusedNote failure={card === null ? preview.failure : add.failure} />
    </Dialog>
  );
}
