import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../../client/ask.ts';
import { liveValue } from '../../../client/live.ts';
import { useAgainOn } from '../../../client/use-live.ts';
import { Button } from '../../../part/control/button.tsx';
import { withPoint } from '../../../part/control/decimal.ts';
import { Dialog } from '../../../part/control/dialog.tsx';
import { Choice, TextField } from '../../../part/control/field.tsx';
import { Loaded, RefusedNote } from '../../../part/control/loaded.tsx';
import { Facts } from '../../../part/page.tsx';
import { ProgressPath } from '../../../part/path.tsx';
import { progressOfWrite } from '../../../part/progress.ts';
import { Amount, limitsOf } from '../../../part/value/amount.tsx';
import { Ago } from '../../../part/value/time.tsx';
import { devicesWords } from '../../../word/devices.ts';
import { partWords } from '../../../word/part.ts';
import type { Latest, Point } from './point.ts';

type Given = { point: Point; latest: Latest; onClose(): void };

/** Writes a value to a point in the person's own name, and shows what becomes of it. */
export function WriteDialog({ point, latest, onClose }: Given) {
  const w = devicesWords();
  const [value, setValue] = useState('');
  const [commandId, setCommandId] = useState<string | null>(null);
  const write = useAct('POST /data/point_command/write');
  const { deviceId, pointId } = latest;
  const now = liveValue(deviceId, pointId).value ?? latest;
  const isNumber = point.pointTypeFlag !== 'STRING';
  // Where a person typed a decimal comma, the hint below the field shows the number that the platform sends.
  const sent = isNumber ? withPoint(value) : value;
  const go = async (): Promise<void> => {
    const id = await write.run({ deviceId, pointId, value: sent });
    if (id !== null) setCommandId(id);
  };
  return (
    <Dialog
      title={w.write.title(latest.pointName)}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>
            {commandId === null ? partWords().cancel : partWords().close}
          </Button>
          {commandId === null && (
            <Button
              kind="primary"
              isBusy={write.isRunning}
              isOff={value === ''}
              onPress={() => void go()}
            >
              {w.write.go}
            </Button>
          )}
        </>
      }
    >
      <Facts
        of={[
          [w.write.now, <Amount value={now.calValue} unit={latest.unit} />],
          [w.points.age, now.createTime !== null && <Ago at={now.createTime} />],
          [w.write.limits, limitsOf(point)],
        ]}
      />
      {commandId !== null ? (
        <Followed commandId={commandId} />
      ) : point.pointTypeFlag === 'BOOLEAN' ? (
        <Choice
          label={w.write.value}
          value={value}
          onChange={setValue}
          options={[
            ['', ''],
            ['true', 'true'],
            ['false', 'false'],
          ]}
        />
      ) : (
        <TextField
          label={`${w.write.value}${point.unit === '' ? '' : ` (${point.unit})`}`}
          hint={sent === value ? undefined : w.write.sends(`${sent} ${point.unit}`.trim())}
          {...(isNumber && { inputmode: 'decimal' as const })}
          value={value}
          onChange={setValue}
          autocomplete="off"
        />
      )}
      <RefusedNote failure={write.failure} />
    </Dialog>
  );
}

function Followed({ commandId }: { commandId: string }) {
  const asked = useAsk('GET /data/point_command_history/get_by_command_id', { commandId });
  useAgainOn(['command'], asked.again);
  return (
    <Loaded asked={asked}>
      {(receipt) => (
        <div class="stack" aria-live="polite">
          <ProgressPath course={progressOfWrite(receipt)} />
          <p lang="en">{receipt.say}</p>
        </div>
      )}
    </Loaded>
  );
}
