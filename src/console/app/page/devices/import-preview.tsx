import type { AnswerOf } from '../../client/call.ts';
import { Facts } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { importWords } from '../../word/import.ts';

type Seen = AnswerOf<'POST /manager/device/import/preview'>;

const STATES: Record<Seen['rows'][number]['verdict'], Omit<State, 'word'>> = {
  REFUSED: { tone: 'danger', shape: 'cross' },
  CHANGE: { tone: 'info', shape: 'half' },
  ADD: { tone: 'good', shape: 'disc' },
  UNCHANGED: { tone: 'idle', shape: 'bar' },
};

/** What an import would do, in counts and row by row. */
export function Preview({ of: { rows, total, add, change, unchanged, refused } }: { of: Seen }) {
  const w = importWords();
  return (
    <>
      <Facts
        of={[
          [w.rows, String(total)],
          [w.verdict.ADD, String(add)],
          [w.verdict.CHANGE, String(change)],
          [w.verdict.UNCHANGED, String(unchanged)],
          [w.verdict.REFUSED, String(refused)],
        ]}
      />
      <ul class="list">
        {rows.map(({ row, deviceName, verdict, column, reason, changes }) => (
          <li key={row}>
            <div class="row">
              <Chip {...STATES[verdict]} word={w.verdict[verdict]} />
              <span class="quiet tabular">{w.row(row)}</span>
              <bdi class="strong">{deviceName}</bdi>
            </div>
            {reason !== '' && (
              <p>
                {column !== '' && <bdi class="strong">{column}: </bdi>}
                <bdi lang="en">{reason}</bdi>
              </p>
            )}
            {changes.map((each) => (
              <p key={each.column}>
                <bdi class="strong">{each.column}</bdi>: <bdi>{each.before || '–'}</bdi> →{' '}
                <bdi>{each.after || '–'}</bdi>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {rows.length < total && <p class="quiet">{w.first(rows.length)}</p>}
    </>
  );
}
