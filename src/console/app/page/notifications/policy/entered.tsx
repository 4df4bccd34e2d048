import { useState } from 'preact/hooks';

import { bounds } from '../../../client/bounds.ts';
import { type Bound, limitsOf } from '../../../part/control/bound.ts';
import { Checks, TextField } from '../../../part/control/field.tsx';

const LEVELS = bounds['POST /data/notify/add']['notifyExt.content.escalation.levels'].values;
type Level = (typeof LEVELS)[number];
type Of = { label: string; hint?: string; wrong?: string | undefined };

type Amount = Of & {
  value: number | undefined;
  /** What one of the unit that is entered counts: a minute 60,000 ms. */
  unit?: number;
  bound: Bound;
  onChange(value: number | undefined): void;
};

/** A number that may be left empty. */
export function Amount({ value, unit = 1, bound, onChange, ...rest }: Amount) {
  const [text, setText] = useState(value === undefined ? '' : String(value / unit));
  const enter = (given: string): void => {
    setText(given);
    const number = Number(given);
    onChange(given === '' || Number.isNaN(number) ? undefined : Math.round(number * unit));
  };
  return (
    <TextField {...rest} {...limitsOf(bound, unit)} step="any" value={text} onChange={enter} />
  );
}

type List = Of & { value: readonly string[]; onChange(value: string[]): void };

/** Texts with commas between them. */
export function ListField({ value, onChange, ...rest }: List) {
  const [text, setText] = useState(value.join(', '));
  const enter = (given: string): void => {
    setText(given);
    onChange(given.split(/[\s,，、]+/).filter((each) => each !== ''));
  };
  return <TextField {...rest} value={text} onChange={enter} />;
}

type LevelsGiven = {
  label: string;
  value: readonly Level[] | undefined;
  onChange(value: readonly Level[]): void;
};

export const Levels = ({ label, value = [], onChange }: LevelsGiven) => (
  <div class="row" role="group" aria-label={label}>
    <small class="quiet">{label}</small>
    <Checks
      value={value}
      onChange={(given) => onChange(LEVELS.filter((level) => given.includes(level)))}
      options={LEVELS.map((level) => [level, level] as const)}
    />
  </div>
);
