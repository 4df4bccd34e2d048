import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { may } from '../../client/session.ts';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { notificationsWords } from '../../word/notifications.ts';

const NOUNS = {
  channel: {
    update: 'POST /data/notify/channel/update',
    remove: 'POST /data/notify/channel/delete',
    right: 'svc-center-data:notify_channel',
  },
  policy: {
    update: 'POST /data/notify/update',
    remove: 'POST /data/notify/delete',
    right: 'svc-center-data:notify',
  },
  template: {
    update: 'POST /data/message/update',
    remove: 'POST /data/message/delete',
    right: 'svc-center-data:message',
  },
} as const;

export type Noun = keyof typeof NOUNS;
export const rightOf = (noun: Noun) => NOUNS[noun].right;

type Given = {
  noun: Noun;
  row: { id: string; enableFlag: 'ENABLE' | 'DISABLE' };
  name: string;
  again(): void;
  onEdit(): void;
};

/** What can be done with a channel, a policy or a template. */
export function RowActions({ noun, row: { id, enableFlag }, name, again, onEdit }: Given) {
  const w = notificationsWords();
  const { update, remove, right } = NOUNS[noun];
  const [isAsking, setAsking] = useState(false);
  const turn = useAct(update);
  const drop = useAct(remove);
  const isOn = enableFlag === 'ENABLE';
  const toggle = async (): Promise<void> => {
    await turn.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' });
    again();
  };
  const go = async (): Promise<void> => {
    if ((await drop.run({ id })) === null) return;
    setAsking(false);
    again();
  };
  return (
    <>
      {may(`${right}:update`) && (
        <>
          <Button onPress={onEdit} label={`${w.edit} ${name}`}>
            {w.edit}
          </Button>
          <Button
            isBusy={turn.isRunning}
            onPress={() => void toggle()}
            label={`${isOn ? w.disable : w.enable} ${name}`}
          >
            {isOn ? w.disable : w.enable}
          </Button>
        </>
      )}
      {may(`${right}:delete`) && (
        <Button kind="danger" onPress={() => setAsking(true)} label={`${w.remove} ${name}`}>
          {w.remove}
        </Button>
      )}
      <RefusedNote failure={turn.failure} />
      {isAsking && (
        <AskFirst
          title={w.removeAsk(name)}
          go={w.remove}
          isRunning={drop.isRunning}
          failure={drop.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>{w.removeMeans}</p>
        </AskFirst>
      )}
    </>
  );
}
