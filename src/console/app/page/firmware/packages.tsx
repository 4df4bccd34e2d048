import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Asked } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { sizeOf } from '../../part/value/size.ts';
import { Ago } from '../../part/value/time.tsx';
import { firmwareWords } from '../../word/firmware.ts';

type Given = {
  asked: Asked<AnswerOf<'POST /manager/firmware/list'>>;
  onSend(id: string, name: string): void;
};

/** The packages that are there. */
export function Packages({ asked, onSend }: Given) {
  const w = firmwareWords();
  const act = useAct('POST /manager/firmware/delete');
  const [leaving, setLeaving] = useState<{ id: string; name: string } | null>(null);
  const remove = async (): Promise<void> => {
    if (leaving === null) return;
    await act.run({ id: leaving.id });
    announce(w.removed(leaving.name));
    setLeaving(null);
    asked.again();
  };
  return (
    <Section title={w.packages}>
      <List
        asked={asked}
        page="packages"
        rows={2}
        none={<Empty title={w.noPackage}>{w.noPackageNext}</Empty>}
      >
        {({ id, packageName, packageVersion, size, sha256, createTime }) => {
          const name = `${packageName} ${packageVersion}`;
          return (
            <li key={id}>
              <div class="row">
                <bdi class="strong">{name}</bdi>
                <span class="quiet">{sizeOf(size)}</span>
                <span class="quiet">
                  SHA-256 <code title={sha256}>{sha256.slice(0, 12)}…</code>
                </span>
                <span class="quiet">
                  <Ago at={createTime} />
                </span>
                <div class="actions">
                  {may('svc-center-manager:firmware:delete') && (
                    <Button onPress={() => setLeaving({ id, name })} label={`${w.remove}: ${name}`}>
                      {w.remove}
                    </Button>
                  )}
                  {may('svc-center-manager:firmware_rollout:add') && (
                    <Button
                      kind="primary"
                      onPress={() => onSend(id, name)}
                      label={`${w.rollOut}: ${name}`}
                    >
                      {w.rollOut}
                    </Button>
                  )}
                </div>
              </div>
            </li>
          );
        }}
      </List>
      {leaving && (
        <AskFirst
          title={w.removeAsk(leaving.name)}
          go={w.remove}
          isRunning={act.isRunning}
          failure={act.failure}
          onGo={() => void remove()}
          onClose={() => setLeaving(null)}
        >
          <p>{w.removeMeans}</p>
        </AskFirst>
      )}
    </Section>
  );
}
