import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { pageIn } from '../../part/control/pager.tsx';
import { Page } from '../../part/page.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { NewRollout } from './new-rollout.tsx';
import { Packages } from './packages.tsx';
import { Rollouts } from './rollouts.tsx';
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
