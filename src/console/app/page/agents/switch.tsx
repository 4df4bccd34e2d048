import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { Loaded, Failed } from '../../part/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { may } from '../../session/session.ts';
import { agentsWords } from '../../word/agent/agents.ts';
import { partWords } from '../../word/part.ts';
import { Tried } from './tried.tsx';

type Mode = Schemas['AgentSwitch']['mode'];

const MODES: readonly Mode[] = ['ON', 'READ_ONLY', 'OFF'];
const STATES = {
  ON: { tone: 'good', shape: 'disc' },
  READ_ONLY: { tone: 'warning', shape: 'half' },
  OFF: { tone: 'danger', shape: 'cross' },
} as const;

export const modeState = (mode: Mode): State => ({
  ...STATES[mode],
  word: agentsWords().mode[mode],
});

/** What the agents of the tenant may do, and the switch that stops them all. */
export function Switch() {
  const w = agentsWords();
  const asked = useAsk('GET /auth/mcp/switch/get', {});
  const [wanted, setWanted] = useState<Mode | null>(null);
  return (
    <Section title={w.switch.title}>
      <Loaded asked={asked} rows={2}>
        {(of) => (
          <div class="panel">
            <div class="row">
              <Chip {...modeState(of.mode)} />
              {of.reason !== '' && <bdi>{of.reason}</bdi>}
              {of.platform !== 'ON' && <span>{w.switch.platform}</span>}
            </div>
            {may('svc-center-auth:mcp:update') && (
              <div class="row">
                {MODES.filter((each) => each !== of.tenant).map((each) => (
                  <Button
                    key={each}
                    kind={each === 'OFF' ? 'danger' : 'plain'}
                    onPress={() => setWanted(each)}
                  >
                    {w.switch.to[each]}
                  </Button>
                ))}
              </div>
            )}
            <Tried of={of} again={asked.again} />
          </div>
        )}
      </Loaded>
      {wanted && <Turn mode={wanted} onClose={() => setWanted(null)} again={asked.again} />}
    </Section>
  );
}

type Given = { mode: Mode; onClose(): void; again(): void };

function Turn({ mode, onClose, again }: Given) {
  const w = agentsWords().switch;
  const [reason, setReason] = useState('');
  const set = useAct('POST /auth/mcp/switch/set');
  const go = async (): Promise<void> => {
    const done = await set.run({ of: 'TENANT', mode, reason });
    again();
    if (done) onClose();
  };
  return (
    <Dialog
      title={w.to[mode]}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{partWords().cancel}</Button>
          <Button
            kind={mode === 'OFF' ? 'danger' : 'primary'}
            isBusy={set.isRunning}
            onPress={() => void go()}
          >
            {w.to[mode]}
          </Button>
        </>
      }
    >
      <p>{w.means[mode]}</p>
      <TextField label={w.reason} value={reason} onChange={setReason} autocomplete="off" />
      {set.failure && <Failed failure={set.failure} />}
    </Dialog>
  );
}
