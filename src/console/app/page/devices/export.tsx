import { useState } from 'preact/hooks';

import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { type Chosen, isChosen, OfTable } from '../../part/of-table.tsx';
import { devicesWords } from '../../word/devices.ts';
import { partWords } from '../../word/part.ts';

/** Saves the devices of a driver and a profile as a table. */
export function Export({ onClose }: { onClose(): void }) {
  const w = devicesWords();
  const [of, setOf] = useState<Chosen>({ driverId: '', profileId: '' });
  return (
    <Dialog
      title={w.export}
      onClose={onClose}
      actions={<Button onPress={onClose}>{partWords().close}</Button>}
    >
      <p class="quiet">{w.exportText}</p>
      <OfTable of={of} onChange={setOf} />
      <SaveButton
        operation="GET /manager/device/export"
        input={isChosen(of) ? of : null}
        name="devices.csv"
      >
        {w.exportGo}
      </SaveButton>
    </Dialog>
  );
}
