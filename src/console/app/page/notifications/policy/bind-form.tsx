import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { Check } from '../../../part/control/field.tsx';
import { useForm } from '../../../part/control/form.ts';
import { Note } from '../../../part/value/mark.tsx';
import { policiesWords } from '../../../word/policies.ts';
import { type BindContent, bindOf, MINUTE_MS } from './content.ts';
import { Amount, Levels } from './entered.tsx';
import { areWhole, isRotaWhole } from './hours-text.ts';
import { RotaFields, Windows, Zones } from './hours.tsx';
import { bindSays } from './policy-says.ts';

type Given = { bind: Schemas['NotifyChannelBind']; name: string; onClose(): void };

const isEntered = ({ onCall, quiet }: BindContent): boolean =>
  isRotaWhole(onCall) && areWhole(quiet?.windows ?? []);

/** When a channel of a policy is called, and for which levels. */
export function BindForm({ bind, name, onClose }: Given) {
  const w = policiesWords();
  const form = useForm('POST /data/notify/channel/bind/update', {
    fields: bindOf(bind),
    input: (content) =>
      isEntered(content) ? { id: bind.id, bindExt: { ...bind.bindExt, content } } : null,
    done: onClose,
  });
  const { values, set } = form;
  const { quiet } = values;
  return (
    <FormDialog title={w.of(name)} {...form.sends} isWide onClose={onClose}>
      <Zones />
      <Levels label={w.levels} value={values.levels} onChange={(levels) => set({ levels })} />
      <Check
        label={w.tellsEnd}
        value={values.sendRecovery ?? true}
        onChange={(sendRecovery) => set({ sendRecovery })}
      />
      <RotaFields label={w.rota} rota={values.onCall} onChange={(onCall) => set({ onCall })} />
      <fieldset>
        <legend>{w.quiet}</legend>
        <Windows
          isZoned
          windows={quiet?.windows ?? []}
          onChange={(windows) => set({ quiet: { ...quiet, windows } })}
        />
        {quiet && quiet.windows.length > 0 && (
          <Levels
            label={w.through}
            value={quiet.through}
            onChange={(through) => set({ quiet: { ...quiet, through } })}
          />
        )}
      </fieldset>
      <Amount
        label={w.overrides}
        hint={w.overridesHint}
        bound={
          bounds['POST /data/notify/channel/bind/update']['bindExt.content.rateLimitOverrideMs']
        }
        unit={MINUTE_MS}
        value={values.rateLimitOverrideMs}
        onChange={(rateLimitOverrideMs) => set({ rateLimitOverrideMs })}
      />
      <Says text={bindSays(values) || w.says.always} isWhole={isEntered(values)} />
    </FormDialog>
  );
}

/** What was entered in words, as it would be done. */
export function Says({ text, isWhole }: { text: string; isWhole: boolean }) {
  const w = policiesWords();
  return (
    <section class="panel" aria-label={w.inWords}>
      <h3>{w.inWords}</h3>
      <p>{text}</p>
      {!isWhole && (
        <Note tone="warning" shape="half">
          {w.missing}
        </Note>
      )}
    </section>
  );
}
