import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { firmwareWords } from '../../word/firmware.ts';

type Rollout = Schemas['FirmwareRolloutWithCounts'];

const TONES: Record<Rollout['status'], Pick<State, 'tone' | 'shape'>> = {
  PROPOSED: { tone: 'warning', shape: 'diamond' },
  REJECTED: { tone: 'idle', shape: 'ring' },
  RUNNING: { tone: 'info', shape: 'ring' },
  PAUSED: { tone: 'warning', shape: 'diamond' },
  STOPPED: { tone: 'danger', shape: 'cross' },
  DONE: { tone: 'good', shape: 'check' },
};

/** A roll-out: what it brings, how far it is, and what can be made of it. */
export function RolloutRow({ one, changed }: { one: Rollout; changed(): void }) {
  const w = firmwareWords();
  const [isOpen, setOpen] = useState(false);
  const { id, rolloutName, status, why, wave, waveSize, failurePercent, total, devices } = one;
  const done = ['VERIFIED', 'FAILED', 'MISMATCH', 'UNKNOWN', 'CANCELLED'] as const;
  const ended = done.reduce((sum, name) => sum + devices[name], 0);
  const failed = devices.FAILED + devices.MISMATCH + devices.UNKNOWN;
  const mayMove = may('svc-center-manager:firmware_rollout:update');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{rolloutName}</bdi>
        <Chip {...TONES[status]} word={w.status[status]} />
        <span class="quiet tabular">{w.progress(ended, total)}</span>
        <span class="quiet tabular">{w.counts(devices.VERIFIED, failed)}</span>
        <span class="quiet">
          {w.wave(wave, waveSize, failurePercent)} <Ago at={one.createTime} />
        </span>
        <div class="actions">
          {status === 'RUNNING' && mayMove && (
            <Move of={one} how="pause" word={w.pause} changed={changed} />
          )}
          {status === 'PAUSED' && mayMove && (
            <Move of={one} how="resume" word={w.resume} changed={changed} />
          )}
          {(status === 'RUNNING' || status === 'PAUSED') && mayMove && (
            <Move of={one} how="stop" word={w.stop} changed={changed} />
          )}
          <Button
            isOpen={isOpen}
            onPress={() => setOpen(!isOpen)}
            label={`${w.showDevices}: ${rolloutName}`}
          >
            {w.showDevices}
          </Button>
        </div>
      </div>
      <progress value={ended} max={total} aria-label={w.progressOf(rolloutName)} />
      {why !== '' && <p>{why}</p>}
      {one.held !== '' && status === 'RUNNING' && <p>{one.held}</p>}
      {isOpen && <RolloutDevices rolloutId={id} />}
    </li>
  );
}

type MoveGiven = {
  of: Rollout;
  how: 'pause' | 'resume' | 'stop';
  word: string;
  changed(): void;
};

function Move({ of, how, word, changed }: MoveGiven) {
  const act = useAct(`POST /manager/firmware/rollout/${how}`, changed);
  return (
    <>
      <RefusedNote failure={act.failure} />
      <Button
        kind={how === 'stop' ? 'danger' : 'plain'}
        isBusy={act.isRunning}
        label={`${word}: ${of.rolloutName}`}
        onPress={() => void act.run({ id: of.id })}
      >
        {word}
      </Button>
    </>
  );
}

type Update = Schemas['FirmwareUpdate'];

const SIZE = 20;
const EVERY_MS = 2_000;

const UPDATES: Record<Update['status'], Pick<State, 'tone' | 'shape'>> = {
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
function RolloutDevices({ rolloutId }: { rolloutId: string }) {
  const w = firmwareWords();
  const [current, setCurrent] = useState(1);
  const asked = useAsk('POST /manager/firmware/rollout/list_devices', {
    rolloutId,
    page: { current, size: SIZE },
  });
  useEvery(EVERY_MS, asked.again);
  const pages = asked.data?.pages ?? 0;
  return (
    <>
      <List asked={asked} none={null}>
        {(one) => (
          <li key={one.deviceId}>
            <div class="row">
              <Link to={`/devices/${one.deviceId}`}>{one.deviceName ?? one.deviceId}</Link>
              <Chip {...UPDATES[one.status]} word={w.update[one.status]} />
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
        )}
      </List>
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
  );
}
