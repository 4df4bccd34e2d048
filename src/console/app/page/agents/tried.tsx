import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Check } from '../../part/control/field.tsx';
import { Failed } from '../../part/control/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { agentsWords } from '../../word/agents.ts';

type Given = { of: Schemas['AgentSwitch']; again(): void };

/** Lists the accounts whose agents asked for what only people may do, with a checkbox that holds such accounts to reading. */
export function Tried({ of: { holdsTried, tried }, again }: Given) {
  const { mode, tried: w } = agentsWords();
  const set = useAct('POST /auth/mcp/switch/hold_tried');
  const lift = useAct('POST /auth/mcp/switch/lift');
  const mayChange = may('svc-center-auth:mcp:update');
  const failure = set.failure ?? lift.failure;
  const after = async (done: Promise<unknown>): Promise<void> => {
    await done;
    again();
  };
  return (
    <>
      {mayChange && (
        <Check
          label={w.holds}
          value={holdsTried}
          isOff={set.isRunning}
          onChange={(on) => void after(set.run({ on }))}
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
                        onPress={() => void after(lift.run({ principalId }))}
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
