import { useState } from 'preact/hooks';

import { type Asked, useAsk } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { pageIn } from '../../part/control/pager.tsx';
import { Page, Section } from '../../part/page.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { NewRollout } from './new-rollout.tsx';
import { Packages } from './packages.tsx';
import { RolloutRow } from './rollout-row.tsx';
import { Upload } from './upload.tsx';

const SIZE = 10;
/** Roll-outs move by themselves. */
const EVERY_MS = 2_000;

/** `/firmware`: packages, and their way to the devices. */
export function Firmware() {
  const w = firmwareWords();
  const packages = useAsk('POST /manager/firmware/list', {
    page: pageIn('packages', SIZE),
  });
  const rollouts = useAsk('POST /manager/firmware/rollout/list', {
    page: pageIn('rollouts', SIZE),
  });
  useEvery(EVERY_MS, rollouts.again);
  const [sent, setSent] = useState<{ id: string; name: string } | null>(null);
  return (
    <Page title={w.title}>
      <p class="quiet">{w.lead}</p>
      <Rollouts asked={rollouts} />
      <Packages asked={packages} onSend={(id, name) => setSent({ id, name })} />
      {may('svc-center-manager:firmware:add') && <Upload uploaded={packages.again} />}
      {sent && (
        <NewRollout
          packageId={sent.id}
          name={sent.name}
          begun={rollouts.again}
          onClose={() => setSent(null)}
        />
      )}
    </Page>
  );
}

type Given = { asked: Asked<AnswerOf<'POST /manager/firmware/rollout/list'>> };

/** Roll-outs, those under way with their progress. */
function Rollouts({ asked }: Given) {
  const w = firmwareWords();
  return (
    <Section title={w.rollouts}>
      <List
        asked={asked}
        page="rollouts"
        rows={2}
        none={<Empty title={w.noRollout}>{w.noRolloutNext}</Empty>}
      >
        {(one) => <RolloutRow key={one.id} one={one} changed={asked.again} />}
      </List>
    </Section>
  );
}
