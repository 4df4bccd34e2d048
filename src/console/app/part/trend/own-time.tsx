import { useState } from 'preact/hooks';

import { trendWords } from '../../word/trend.ts';
import { TextField } from '../control/field.tsx';
import { inField, type Range } from './range.ts';

type Given = { range: Range; onRange(range: Range): void; onClose(): void };

/** Two fields for a time of one's own, in the person's zone. */
export function OwnTime({ range, onRange, onClose }: Given) {
  const w = trendWords();
  const [from, setFrom] = useState(inField(range.from));
  const [to, setTo] = useState(inField(range.to));
  const next = { from: Date.parse(from), to: Date.parse(to) };
  const isBackwards = next.from >= next.to;
  return (
    <form
      class="row filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (!(next.from < next.to)) return;
        onRange(next);
        onClose();
      }}
    >
      <TextField label={w.from} type="datetime-local" value={from} onChange={setFrom} required />
      <TextField
        label={w.to}
        type="datetime-local"
        value={to}
        onChange={setTo}
        wrong={isBackwards ? w.backwards : undefined}
        required
      />
      <button type="submit" class="primary">
        {w.show}
      </button>
    </form>
  );
}
