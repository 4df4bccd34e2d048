import { useAct, useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Check, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Failed, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';

type Mode = Schemas['AgentSwitch']['mode'];

const MODES = bounds['POST /auth/mcp/switch/set'].mode.values;
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
                  <Opener
                    key={each}
                    kind={each === 'OFF' ? 'danger' : 'plain'}
                    word={w.switch.to[each]}
                  >
                    {(close) => <Turn mode={each} onClose={close} again={asked.again} />}
                  </Opener>
                ))}
              </div>
            )}
            <Tried of={of} again={asked.again} />
          </div>
        )}
      </Loaded>
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

type TriedGiven = { of: Schemas['AgentSwitch']; again(): void };

/** Lists the accounts whose agents asked for what only people may do, with a checkbox that holds such accounts to reading. */
function Tried({ of: { holdsTried, tried }, again }: TriedGiven) {
  const { mode, tried: w } = agentsWords();
  const set = useAct('POST /auth/mcp/switch/hold_tried', again);
  const lift = useAct('POST /auth/mcp/switch/lift', again);
  const mayChange = may('svc-center-auth:mcp:update');
  const failure = set.failure ?? lift.failure;
  return (
    <>
      {mayChange && (
        <Check
          label={w.holds}
          value={holdsTried}
          isOff={set.isRunning}
          onChange={(on) => void set.run({ on })}
        />
      )}
      {tried.length > 0 && (
        <>
          <h3>{w.title}</h3>
          <ul class="list" aria-label={w.title}>
            {tried.map(({ principalId, principalName, place, source, at, isHeld }) => (
              <li key={principalId}>
                <div class="row">
                  {isHeld ? (
                    <Chip tone="warning" shape="half" word={mode.READ_ONLY} />
                  ) : (
                    <Chip tone="idle" shape="ring" word={w.free} />
                  )}
                  <bdi class="strong">{principalName}</bdi>
                  <Ago at={at} />
                  {mayChange && (
                    <div class="actions">
                      <Button
                        isBusy={lift.isRunning}
                        onPress={() => void lift.run({ principalId })}
                      >
                        {isHeld ? w.release : w.forget}
                      </Button>
                    </div>
                  )}
                </div>
                <small class="quiet">
                  <bdi>{place}</bdi> · {w.from} <bdi>{source}</bdi>
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
      {failure && <Failed failure={failure} />}
    </>
  );
}
