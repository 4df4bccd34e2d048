import { useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import { may } from '../../../client/session.ts';
import { Check, Choice, optionsOf, TextArea, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { stateWords } from '../../../word/state.ts';
import { Rise } from './rule-level.tsx';
import type { Part } from './rule-place.tsx';

const LEVELS = bounds['POST /data/rule/add']['ruleExt.content.severity'].values;
const page = { current: 1, size: 100 };

/** The alarm: its name and level, and what becomes of it. */
export function Then({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  const policies = useAsk(
    'POST /data/notify/list',
    may('svc-center-data:notify:list') ? { page } : null,
  );
  const messages = useAsk(
    'POST /data/message/list',
    may('svc-center-data:message:list') ? { page } : null,
  );
  return (
    <fieldset>
      <legend>{w.alarm}</legend>
      <div class="fields">
        <TextField
          label={w.name}
          value={draft.ruleName}
          wrong={wrongOf(failure, 'ruleName')}
          autocomplete="off"
          onChange={(ruleName) => change({ ruleName })}
        />
        <Choice
          label={w.level}
          value={draft.level}
          onChange={(level) => change({ level })}
          options={LEVELS.map((level) => [level, `${level} ${stateWords().level[level]}`] as const)}
        />
        <Rise {...{ draft, change, failure }} />
        {policies.data && (
          <Choice
            label={w.notify}
            wrong={wrongOf(failure, 'notifyId')}
            value={draft.notifyId}
            onChange={(notifyId) => change({ notifyId })}
            options={optionsOf(['0', w.noNotify], policies.data.records, 'notifyName')}
          />
        )}
        {messages.data && draft.notifyId !== '0' && (
          <Choice
            label={w.message}
            wrong={wrongOf(failure, 'messageId')}
            value={draft.messageId}
            onChange={(messageId) => change({ messageId })}
            options={optionsOf(['0', w.noMessage], messages.data.records, 'messageName')}
          />
        )}
        <TextField
          label={w.remark}
          value={draft.remark}
          wrong={wrongOf(failure, 'remark')}
          autocomplete="off"
          onChange={(remark) => change({ remark })}
        />
      </div>
      <TextArea
        label={w.instruction}
        hint={w.instructionHint}
        value={draft.instruction}
        wrong={wrongOf(failure, 'ruleExt.content.instruction')}
        onChange={(instruction) => change({ instruction })}
      />
      <Check
        label={w.enabled}
        value={draft.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </fieldset>
  );
}
