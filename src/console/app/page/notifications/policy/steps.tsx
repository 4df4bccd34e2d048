import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { Button } from '../../../part/control/button.tsx';
import { Check, Checks } from '../../../part/control/field.tsx';
import { policiesWords } from '../../../word/policies.ts';
import { MINUTE_MS, type PolicyContent, type Step } from './content.ts';
import { Amount, Levels } from './entered.tsx';
import { RotaFields } from './hours.tsx';

const NEW: Step = { afterMs: 10 * MINUTE_MS, channels: [] };

type Given = {
  content: PolicyContent;
  /** Those that are bound to the policy. */
  channels: readonly Schemas['NotifyChannel'][];
  put(part: Partial<PolicyContent>): void;
};

/** The steps of escalation: which channels are called after how long, and for which levels. */
export function Steps({ content, channels, put: putContent }: Given) {
  const w = policiesWords();
  const steps = content.escalation ?? [];
  const onChange = (escalation: Step[]): void => putContent({ escalation });
  const put = (at: number, part: Partial<Step>): void =>
    onChange(steps.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <fieldset>
      <legend>{w.steps}</legend>
      {channels.length === 0 && <p class="small quiet">{w.stepsLater}</p>}
      {steps.map((step, index) => (
        <div
          key={`${steps.length} ${index}`}
          class="panel"
          role="group"
          aria-label={w.step(index + 1)}
        >
          <div class="row">
            <h3>{w.step(index + 1)}</h3>
            <div class="actions">
              <Button
                kind="quiet"
                label={w.remove(w.step(index + 1))}
                onPress={() => onChange(steps.filter((_, at) => at !== index))}
              >
                ✕
              </Button>
            </div>
          </div>
          <div class="row" role="group" aria-label={w.channels}>
            <Checks
              value={step.channels}
              onChange={(called) => put(index, { channels: called })}
              options={channels.map(({ id, channelName }) => [id, channelName] as const)}
            />
          </div>
          <Amount
            label={w.after}
            hint={w.afterHint}
            bound={bounds['POST /data/notify/add']['notifyExt.content.escalation.afterMs']}
            unit={MINUTE_MS}
            value={step.afterMs}
            onChange={(afterMs) => put(index, { afterMs })}
          />
          <Check
            label={w.onFailure}
            value={step.onFailure ?? false}
            onChange={(onFailure) => put(index, { onFailure })}
          />
          <Levels
            label={w.levels}
            value={step.levels}
            onChange={(levels) => put(index, { levels })}
          />
          <RotaFields
            label={w.stepRota}
            rota={step.onCall}
            onChange={(onCall) => put(index, { onCall })}
          />
        </div>
      ))}
      {channels.length > 0 && (
        <div class="row">
          <Button onPress={() => onChange([...steps, NEW])}>{w.addStep}</Button>
        </div>
      )}
      {steps.length > 0 && (
        <Check
          label={w.pauses}
          value={content.pauseWhileActing === true}
          onChange={(pauseWhileActing) => putContent({ pauseWhileActing })}
        />
      )}
    </fieldset>
  );
}
