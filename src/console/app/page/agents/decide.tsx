import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Action } from '../../../card/action.ts';
import { useAct } from '../../client/ask.ts';
import { Refused } from '../../client/failure.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { TextArea } from '../../part/control/field.tsx';
import { messageOf, RefusedNote } from '../../part/control/loaded.tsx';
import { Note } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { partWords } from '../../word/part.ts';
import { reviewWords } from '../../word/review.ts';

type Given = {
  action: Action;
  /** A fresh card waits to be looked at: this one cannot be confirmed. */
  isRenewed: boolean;
  again(): void;
};

/** Confirms exactly the card that is shown, or rejects it with a reason; within reach of a thumb. */
export function Decide({ action, isRenewed, again }: Given) {
  const w = reviewWords().decide;
  const confirm = useAct('POST /agentic/action/confirm', again);
  const [isRejecting, setRejecting] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  // The pressed button goes with the decision: the focus stays at the page, which shows the outcome.
  useLayoutEffect(
    () => () => {
      if (bar.current?.contains(document.activeElement)) document.querySelector('main')?.focus();
    },
    [],
  );
  const { actionId, digest, expiresAt } = action;
  const mayConfirm =
    may('svc-center-agentic:action:confirm') && may('svc-center-data:point_command:write');
  const mayReject = may('svc-center-agentic:action:reject');
  // A refusal of an older card says nothing about this one.
  const failure = isChanged(confirm.failure) ? null : confirm.failure;
  return (
    <div class="decide" ref={bar}>
      <RefusedNote failure={failure} />
      <p class="quiet">
        {w.left} <Ago at={expiresAt} />
      </p>
      <div class="actions">
        {mayReject && (
          <Button kind="danger" onPress={() => setRejecting(true)} isOff={confirm.isRunning}>
            {w.reject}
          </Button>
        )}
        {mayConfirm && (
          <Button
            kind="primary"
            isBusy={confirm.isRunning}
            isOff={isRenewed}
            onPress={() => void confirm.run({ actionId, digest })}
          >
            {w.confirm}
          </Button>
        )}
        {!mayConfirm && !mayReject && <p>{w.mayNot}</p>}
      </div>
      {isRejecting && (
        <Rejection actionId={actionId} onClose={() => setRejecting(false)} again={again} />
      )}
    </div>
  );
}

const isChanged = (failure: unknown): boolean =>
  failure instanceof Refused && failure.status === 412;

type RejectionGiven = { actionId: string; onClose(): void; again(): void };

function Rejection({ actionId, onClose, again }: RejectionGiven) {
  const w = reviewWords().decide;
  const [reason, setReason] = useState('');
  const reject = useAct('POST /agentic/action/reject', again);
  const go = async (): Promise<void> => {
    if (await reject.run({ actionId, reason })) onClose();
  };
  return (
    <Dialog
      title={w.rejectTitle}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{partWords().cancel}</Button>
          <Button kind="danger" isBusy={reject.isRunning} onPress={() => void go()}>
            {w.reject}
          </Button>
        </>
      }
    >
      <TextArea label={w.reason} hint={w.reasonHint} value={reason} onChange={setReason} />
      {reject.failure && (
        <Note tone="danger" shape="cross" role="alert">
          {messageOf(reject.failure).text}
        </Note>
      )}
    </Dialog>
  );
}
