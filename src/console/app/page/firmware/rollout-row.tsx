import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { firmwareWords } from '../../word/firmware.ts';
import { RolloutDevices } from './rollout-devices.tsx';

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
  const act = useAct(`POST /manager/firmware/rollout/${how}`);
  return (
    <>
      <RefusedNote failure={act.failure} />
      <Button
        kind={how === 'stop' ? 'danger' : 'plain'}
        isBusy={act.isRunning}
        label={`${word}: ${of.rolloutName}`}
        onPress={() => void act.run({ id: of.id }).then(changed)}
      >
        {word}
      </Button>
    </>
  );
}
