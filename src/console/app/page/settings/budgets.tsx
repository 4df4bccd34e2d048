import { useAct, useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsIn, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Section } from '../../part/page.tsx';
import { partWords } from '../../word/part.ts';
import { usageWords } from '../../word/usage.ts';

type Budget = Schemas['ChatBudget'];

/** The budgets of the chat, and what is used of each in its present period. */
export function Budgets() {
  const { budgets: w } = usageWords();
  const asked = useAsk('GET /agentic/usage/budget/list', {});
  const mayDelete = may('svc-center-agentic:usage:delete');
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-agentic:usage:add') && (
          <Opener word={w.add}>
            {(close) => <NewBudget changed={asked.again} onClose={close} />}
          </Opener>
        )
      }
    >
      <List asked={asked} rows={2} label={w.title} none={<Empty title={w.none} />}>
        {(budget) => (
          <Row key={budget.id} budget={budget} mayDelete={mayDelete} changed={asked.again} />
        )}
      </List>
    </Section>
  );
}

const plain = (amount: string): string =>
  Number(amount).toLocaleString(undefined, { maximumFractionDigits: 6 });

type RowGiven = { budget: Budget; mayDelete: boolean; changed(): void };

function Row({ budget, mayDelete, changed }: RowGiven) {
  const { budgets: w } = usageWords();
  const remove = useAct('POST /agentic/usage/budget/delete');
  const { kind, subject, unit, currency, period, amount, uses } = budget;
  const of = `${plain(amount)} ${unit === 'cost' ? currency : w.units.tokens}`;
  const title = `${w.kinds[kind]}: ${of} / ${w.periods[period]}`;
  return (
    <li>
      <div class="row">
        <bdi class="strong">{title}</bdi>
        {subject !== '' && <bdi class="quiet">{subject}</bdi>}
        {mayDelete && (
          <div class="actions">
            <AskButton
              label={`${partWords().delete} ${title}`}
              title={w.question}
              act={remove}
              run={() => remove.run({ id: budget.id })}
              done={changed}
            >
              <p>{w.means}</p>
            </AskButton>
          </div>
        )}
      </div>
      {uses.map((use) => (
        <div class="row quiet tabular" key={use.subject}>
          {use.subject !== '' && <bdi>{use.subject}</bdi>}
          <span>{w.used(plain(use.used), of)}</span>
          {Number(use.reserved) > 0 && <span>{w.held(plain(use.reserved))}</span>}
        </div>
      ))}
    </li>
  );
}

const BOUNDS = bounds['POST /agentic/usage/budget/add'];

type Input = InputOf<'POST /agentic/usage/budget/add'>;
const FIRST: { [K in keyof Input]-?: NonNullable<Input[K]> } = {
  kind: 'tenant',
  subject: '',
  unit: 'tokens',
  currency: '',
  period: 'day',
  amount: '',
};

/** Sets a budget, in place of one for the same of the same time. */
function NewBudget({ changed, onClose }: { changed(): void; onClose(): void }) {
  const { budgets: w } = usageWords();
  const form = useForm('POST /agentic/usage/budget/add', {
    fields: FIRST,
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
    <FormDialog title={w.add} {...form.sends} onClose={onClose}>
      <Choice
        label={w.kind}
        {...form.of('kind')}
        options={optionsIn(BOUNDS.kind.values, w.kinds)}
      />
      {kind !== 'tenant' && (
        <TextField label={w.subject} hint={w.subjectHint} {...form.of('subject')} />
      )}
      <Choice
        label={w.unit}
        {...form.of('unit')}
        options={optionsIn(BOUNDS.unit.values, w.units)}
      />
      {unit === 'cost' && <TextField label={w.currency} {...form.of('currency')} />}
      <div class="fields">
        <TextField label={w.amount} {...form.of('amount')} />
        <Choice
          label={w.period}
          {...form.of('period')}
          options={optionsIn(BOUNDS.period.values, w.periods)}
        />
      </div>
    </FormDialog>
  );
}
