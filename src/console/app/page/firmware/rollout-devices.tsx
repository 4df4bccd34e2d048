import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { useEvery } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { firmwareWords } from '../../word/firmware.ts';

type Update = Schemas['FirmwareUpdate'];

const SIZE = 20;
const EVERY_MS = 2_000;

const TONES: Record<Update['status'], Pick<State, 'tone' | 'shape'>> = {
  PROPOSED: { tone: 'idle', shape: 'ring' },
  WAITING: { tone: 'idle', shape: 'ring' },
  BEGUN: { tone: 'info', shape: 'ring' },
  SENDING: { tone: 'info', shape: 'ring' },
  DOWNLOADED: { tone: 'info', shape: 'ring' },
  UPDATING: { tone: 'info', shape: 'ring' },
  VERIFIED: { tone: 'good', shape: 'check' },
  FAILED: { tone: 'danger', shape: 'cross' },
  MISMATCH: { tone: 'danger', shape: 'cross' },
  UNKNOWN: { tone: 'warning', shape: 'diamond' },
  CANCELLED: { tone: 'idle', shape: 'ring' },
};

/** The devices of a roll-out in their order, each with what became of it. */
export function RolloutDevices({ rolloutId }: { rolloutId: string }) {
  const w = firmwareWords();
  const [current, setCurrent] = useState(1);
  const asked = useAsk('POST /manager/firmware/rollout/list_devices', {
    rolloutId,
    page: { current, size: SIZE },
  });
  useEvery(EVERY_MS, asked.again);
  return (
    <Loaded asked={asked} rows={3}>
      {({ records, pages }) => (
        <>
          <ul class="list">
            {records.map((one) => (
              <li key={one.deviceId}>
                <div class="row">
                  <Link to={`/devices/${one.deviceId}`}>{one.deviceName ?? one.deviceId}</Link>
                  <Chip {...TONES[one.status]} word={w.update[one.status]} />
                  {one.endedAs === null ? (
                    <span class="quiet">{one.message}</span>
                  ) : (
                    <>
                      <span class="quiet">{one.correction}</span>
                      <Ago at={one.correctedTime} />
                      <span class="quiet">{w.atFirst(w.update[one.endedAs], one.message)}</span>
                    </>
                  )}
                </div>
              </li>
            ))}
          </ul>
          {pages > 1 && (
            <div class="row">
              <Button isOff={current <= 1} onPress={() => setCurrent(current - 1)}>
                {w.before}
              </Button>
              <span class="tabular">{w.pageOf(current, pages)}</span>
              <Button isOff={current >= pages} onPress={() => setCurrent(current + 1)}>
                {w.next}
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}
