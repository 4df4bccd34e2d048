import { useState } from 'preact/hooks';

import type { FixedAxis } from '../../../../chart/options.ts';
import { query, setQuery } from '../../../client/route.ts';
import { Button } from '../../../part/control/button.tsx';
import { withPoint } from '../../../part/control/decimal.ts';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { TextField } from '../../../part/control/field.tsx';
import { Opener } from '../../../part/control/opener.tsx';
import { trendWords } from '../../../word/trend.ts';

const numberIn = (text: string | null): number =>
  text === null || text.trim() === '' ? Number.NaN : Number(withPoint(text));

/** The axis of a unit as the address fixes it (`low`, `high`, and their `unit`); undefined: as the values need. */
export function axisOf(unit: string): FixedAxis | undefined {
  const [low, high] = [numberIn(query.value.get('low')), numberIn(query.value.get('high'))];
  const isOf = (query.value.get('unit') ?? '') === unit;
  return isOf && isAxis(low, high) ? { unit, low, high } : undefined;
}

/** NaN is below nothing. */
const isAxis = (low: number, high: number): boolean =>
  low < high && Number.isFinite(low) && Number.isFinite(high);

/** Fixes the axis of the first line, so that pictures of several times can be compared, or lets it fit the values. */
export function Axis({ unit }: { unit: string }) {
  const w = trendWords();
  const fixed = axisOf(unit);
  return (
    <>
      <Opener word={w.axis} kind="quiet">
        {(close) => <Form unit={unit} onClose={close} />}
      </Opener>
      {fixed && (
        <Button
          kind="quiet"
          label={`${w.free}: ${fixed.low} – ${fixed.high} ${unit}`}
          onPress={() => setQuery({ low: null, high: null, unit: null }, false)}
        >
          {fixed.low} – {fixed.high} <bdi>{unit}</bdi> ✕
        </Button>
      )}
    </>
  );
}

function Form({ unit, onClose }: { unit: string; onClose(): void }) {
  const w = trendWords();
  const [fixed] = useState(() => axisOf(unit));
  const [low, setLow] = useState(String(fixed?.low ?? ''));
  const [high, setHigh] = useState(String(fixed?.high ?? ''));
  const isRight = isAxis(numberIn(low), numberIn(high));
  const isWrong = !isRight && low.trim() !== '' && high.trim() !== '';
  const field = { type: 'text', inputmode: 'decimal', autocomplete: 'off' } as const;
  return (
    <FormDialog
      title={w.axisOf(unit)}
      go={w.show}
      isRunning={false}
      isOff={!isRight}
      failure={null}
      onGo={() => {
        setQuery({ low: String(numberIn(low)), high: String(numberIn(high)), unit }, false);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label={w.axisFrom} {...field} value={low} onChange={setLow} />
      <TextField
        label={w.axisTo}
        {...field}
        value={high}
        onChange={setHigh}
        wrong={isWrong ? w.axisWrong : undefined}
      />
    </FormDialog>
  );
}
