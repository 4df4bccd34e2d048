import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { Section } from '../../part/page.tsx';
import { peopleWords } from '../../word/people.ts';
import { isSelf, nameOf, type User } from './user.ts';

/** Whether anything works in the name of a person: disabled and enabled. */
export function Access({ person, again }: { person: User; again(): void }) {
  const w = peopleWords().turn;
  const [isAsking, setAsking] = useState(false);
  const enable = useAct('POST /auth/principal/enable');
  const disable = useAct('POST /auth/principal/disable');
  const isOn = person.enableFlag === 'ENABLE';
  const name = nameOf(person);
  const turn = isOn ? disable : enable;
  const go = async (): Promise<void> => {
    if ((await turn.run({ id: person.principalId })) === null) return;
    setAsking(false);
    announce(isOn ? w.disabled(name) : w.enabled(name));
    again();
  };
  const mayTurn = may('svc-center-auth:principal:update') && !isSelf(person);
  return (
    <Section
      title={w.title}
      actions={
        mayTurn && (
          <Button kind={isOn ? 'danger' : 'plain'} onPress={() => setAsking(true)}>
            {isOn ? w.disable : w.enable}
          </Button>
        )
      }
    >
      <p class="quiet">{isSelf(person) ? w.own : isOn ? w.isOn : w.isOff}</p>
      {isAsking && (
        <AskFirst
          title={isOn ? w.disableTitle(name) : w.enableTitle(name)}
          go={isOn ? w.disable : w.enable}
          isRunning={turn.isRunning}
          failure={turn.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>{isOn ? w.disableMeans : w.enableMeans}</p>
        </AskFirst>
      )}
    </Section>
  );
}
