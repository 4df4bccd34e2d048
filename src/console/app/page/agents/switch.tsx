import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { agentsWords } from '../../word/agents.ts';
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
  const form = useForm('POST /auth/mcp/switch/set', {
    fields: { reason: '' },
    input: ({ reason }) => ({ of: 'TENANT', mode, reason }),
    done: onClose,
    ended: again,
  });
  return (
    <FormDialog
      title={w.to[mode]}
      go={w.to[mode]}
      kind={mode === 'OFF' ? 'danger' : 'primary'}
      {...form.sends}
      onClose={onClose}
    >
      <p>{w.means[mode]}</p>
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
