import { useAct } from '../../../client/act.ts';
import { may } from '../../../client/session.ts';
import { Button } from '../../../part/control/button.tsx';
import { RefusedNote } from '../../../part/refused.tsx';
import { chatWords } from '../../../word/chat.ts';
import type { Message } from '../message.ts';
import { forgetTurn } from '../turn.ts';

/** Leads to the other wordings of a question, or the other answers to it. */
export function Versions({ message, look }: { message: Message; look(): void }) {
  const w = chatWords();
  const select = useAct('POST /agentic/session/branch/select');
  const { conversationId, messageIndex, versions } = message;
  const at = versions.indexOf(messageIndex);
  if (at === -1 || !may('svc-center-agentic:session:update')) return null;
  const go = async (to: number): Promise<void> => {
    const index = versions[to];
    if (index === undefined) return;
    if ((await select.run({ conversationId, messageIndex: index })) === null) return;
    // The latest turn may be on another branch.
    forgetTurn(conversationId);
    look();
  };
  return (
    <div class="row versions">
      <Button
        kind="quiet"
        label={w.versionBefore}
        isOff={at === 0 || select.isRunning}
        onPress={() => void go(at - 1)}
      >
        ‹
      </Button>
      <small class="tabular">{w.version(at + 1, versions.length)}</small>
      <Button
        kind="quiet"
        label={w.versionAfter}
        isOff={at === versions.length - 1 || select.isRunning}
        onPress={() => void go(at + 1)}
      >
        ›
      </Button>
      <RefusedNote failure={select.failure} />
    </div>
  );
}
