import { announce } from '../../part/announce.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { usageWords } from '../../word/usage.ts';

const KINDS = ['tenant', 'person', 'key', 'end_user'] as const;
const UNITS = ['tokens', 'cost'] as const;
const PERIODS = ['hour', 'day', 'month'] as const;

type Fields = {
  kind: (typeof KINDS)[number];
  subject: string;
  unit: (typeof UNITS)[number];
  currency: string;
  period: (typeof PERIODS)[number];
  amount: string;
};

const FIRST: Fields = {
  kind: 'tenant',
  subject: '',
  unit: 'tokens',
  currency: '',
  period: 'day',
  amount: '',
};

/** Sets a budget, in place of one for the same of the same time. */
export function NewBudget({ changed, onClose }: { changed(): void; onClose(): void }) {
  const { budgets: w } = usageWords();
  const form = useForm('POST /agentic/usage/budget/add', {
    fields: FIRST,
    needs: ['amount'],
    input: ({ subject, currency, ...given }) => ({
      ...given,
      ...(given.kind !== 'tenant' && { subject }),
      ...(given.unit === 'cost' && { currency }),
    }),
    done() {
      announce(w.saved);
      changed();
      onClose();
    },
  });
  const { kind, unit } = form.values;
  return (
    <FormDialog title={w.add} go={w.save} {...form.sends} onClose={onClose}>
      <Choice
        label={w.kind}
        {...form.of('kind')}
        options={KINDS.map((each) => [each, w.kinds[each]] as const)}
      />
      {kind !== 'tenant' && (
        <TextField label={w.subject} hint={w.subjectHint} {...form.of('subject')} />
      )}
      <Choice
        label={w.unit}
        {...form.of('unit')}
        options={UNITS.map((each) => [each, w.units[each]] as const)}
      />
      {unit === 'cost' && <TextField label={w.currency} {...form.of('currency')} />}
      <div class="fields">
        <TextField label={w.amount} {...form.of('amount')} />
        <Choice
          label={w.period}
          {...form.of('period')}
          options={PERIODS.map((each) => [each, w.periods[each]] as const)}
        />
      </div>
    </FormDialog>
  );
}
