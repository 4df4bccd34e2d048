import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { announce } from '../../part/announce.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { usageWords } from '../../word/settings/usage.ts';

const KINDS = ['tenant', 'person', 'key', 'end_user'] as const;
const UNITS = ['tokens', 'cost'] as const;
const PERIODS = ['hour', 'day', 'month'] as const;

/** Sets a budget, in place of one for the same of the same time. */
export function NewBudget({ changed, onClose }: { changed(): void; onClose(): void }) {
  const { budgets: w } = usageWords();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('tenant');
  const [subject, setSubject] = useState('');
  const [unit, setUnit] = useState<(typeof UNITS)[number]>('tokens');
  const [currency, setCurrency] = useState('');
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('day');
  const [amount, setAmount] = useState('');
  const set = useAct('POST /agentic/usage/budget/add');
  const save = async (): Promise<void> => {
    const given = {
      kind,
      unit,
      period,
      amount,
      ...(kind !== 'tenant' && { subject }),
      ...(unit === 'cost' && { currency }),
    };
    if ((await set.run(given)) === null) return;
    announce(w.saved);
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={w.add}
      go={w.save}
      isRunning={set.isRunning}
      isOff={amount === ''}
      failure={set.failure}
      onGo={() => void save()}
      onClose={onClose}
    >
      <Choice
        label={w.kind}
        value={kind}
        onChange={(chosen) => setKind(KINDS.find((each) => each === chosen) ?? 'tenant')}
        options={KINDS.map((each) => [each, w.kinds[each]] as const)}
      />
      {kind !== 'tenant' && (
        <TextField
          label={w.subject}
          hint={w.subjectHint}
          value={subject}
          onChange={setSubject}
          wrong={wrongOf(set.failure, 'subject')}
          autocomplete="off"
        />
      )}
      <Choice
        label={w.unit}
        value={unit}
        onChange={(chosen) => setUnit(UNITS.find((each) => each === chosen) ?? 'tokens')}
        options={UNITS.map((each) => [each, w.units[each]] as const)}
      />
      {unit === 'cost' && (
        <TextField
          label={w.currency}
          value={currency}
          onChange={setCurrency}
          wrong={wrongOf(set.failure, 'currency')}
          autocomplete="off"
        />
      )}
      <div class="fields">
        <TextField
          label={w.amount}
          value={amount}
          onChange={setAmount}
          wrong={wrongOf(set.failure, 'amount')}
          autocomplete="off"
        />
        <Choice
          label={w.period}
          value={period}
          onChange={(chosen) => setPeriod(PERIODS.find((each) => each === chosen) ?? 'day')}
          options={PERIODS.map((each) => [each, w.periods[each]] as const)}
        />
      </div>
    </FormDialog>
  );
}
