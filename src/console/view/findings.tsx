import type { ComponentChildren } from 'preact';

import { Facts } from '../app/part/page.tsx';
import { Amount } from '../app/part/value/amount.tsx';
import { Mark, type State } from '../app/part/value/mark.tsx';
import { lengthOf } from '../app/part/value/time.tsx';
import { clockTime } from './clock-time.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.ts';
import { viewWords } from './words.ts';

const MAX_OF_A_KIND = 3;

const signed = (value: number): string => (value < 0 ? `−${-value}` : `+${value}`);

type Given = { fields: Fields; end: string };

/** The figures of a series in one table. */
export function Figures({ fields, end }: Given) {
  const w = viewWords().trend;
  const unit = textOf(fields, 'unit');
  const figure = (value: number | string | null) =>
    value !== null && <Amount value={value} unit={unit} />;
  const extreme = (name: string) => {
    const value = numberOf(fields, name);
    const at = textOf(fields, `${name}At`);
    return (
      value !== null && (
        <>
          {figure(value)}
          {at !== '' && <div class="small">{clockTime(at, end)}</div>}
        </>
      )
    );
  };
  const coverage = numberOf(fields, 'coverage');
  const before = numberOf(fieldsOf(fields['comparedToBefore']), 'mean');
  const slope = numberOf(fields, 'slopePerHour');
  return (
    <Facts
      of={[
        [w.lowest, extreme('min')],
        [w.mean, figure(numberOf(fields, 'mean'))],
        [w.highest, extreme('max')],
        [w.perHour, slope !== null && figure(signed(slope))],
        [w.against, before !== null && figure(signed(before))],
        [w.values, numberOf(fields, 'count') ?? 0],
        [w.expected, coverage !== null && `${Math.round(coverage * 100)} %`],
      ]}
    />
  );
}

/** What was found, a sentence each, with the sign that marks it in the chart. */
export function Findings({ fields, end }: Given) {
  const w = viewWords().trend;
  const unit = textOf(fields, 'unit');
  const at = (one: Fields, name: string): string => clockTime(textOf(one, name), end);
  const long = (one: Fields): string => lengthOf(numberOf(one, 's') ?? 0);
  const some = (name: string): Fields[] => listOf(fields[name]).slice(0, MAX_OF_A_KIND);
  return (
    <>
      {some('spikes').map((one) => (
        <Found key={`spike ${at(one, 'at')}`} tone="danger" shape="diamond">
          {w.spike(at(one, 'at'), long(one))} <Amount value={numberOf(one, 'peak')} unit={unit} />
        </Found>
      ))}
      {some('changes').map((one) => {
        const by = numberOf(one, 'by') ?? numberOf(one, 'perHour') ?? 0;
        const word = textOf(one, 'kind') === 'step' ? w.step : w.drift;
        return (
          <Found key={`change ${at(one, 'at')}`} tone="warning" shape="bar">
            {word(at(one, 'at'))} <Amount value={signed(by)} unit={unit} />
          </Found>
        );
      })}
      {some('flatLines').map((one) => (
        <Found key={`flat ${at(one, 'from')}`} tone="warning" shape="square">
          {w.flat(at(one, 'from'), long(one))} <Amount value={numberOf(one, 'value')} unit={unit} />
        </Found>
      ))}
      {some('gaps').map((one) => (
        <Found key={`gap ${at(one, 'from')}`} tone="idle" shape="square">
          {w.gap(at(one, 'from'), long(one))}
        </Found>
      ))}
    </>
  );
}

type FoundGiven = Omit<State, 'word'> & { children: ComponentChildren };

const Found = ({ tone, shape, children }: FoundGiven) => (
  <p class={`note ${tone}`}>
    <Mark shape={shape} />
    <span>{children}</span>
  </p>
);

/** How long a state held, of all. */
export function Shares({ fields }: { fields: Fields }) {
  const switches = numberOf(fields, 'switches');
  return (
    <div class="stack">
      <ul class="shares">
        {listOf(fields['shares']).map((one) => {
          const share = numberOf(one, 'share') ?? 0;
          const name = textOf(one, 'value');
          return (
            <li key={name}>
              <bdi>{name}</bdi>
              <span class="bar">
                <span style={{ width: `${share * 100}%` }} />
              </span>
              <span class="tabular number">{Math.round(share * 100)} %</span>
            </li>
          );
        })}
      </ul>
      {switches !== null && <p class="quiet">{viewWords().trend.switched(switches)}</p>}
    </div>
  );
}
