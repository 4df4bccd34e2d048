import { query, setQuery } from '../../../client/route.ts';
import { Button } from '../../../part/control/button.tsx';
import { Dialog } from '../../../part/control/dialog.tsx';
import { Check } from '../../../part/control/field.tsx';
import { Opener } from '../../../part/control/opener.tsx';
import { columnsWords } from '../../../word/columns.ts';
import { partWords } from '../../../word/part.ts';
import {
  COLUMNS_PARAMETER,
  MOST_POINTS,
  offeredColumns,
  SEPARATOR,
  useColumns,
  useCommonPoints,
} from './columns.tsx';

/** In the address: none is chosen. */
const NONE = 'none';

/** A button that opens the choice of columns. */
export const ColumnChoice = () => (
  <Opener word={columnsWords().title}>{(close) => <ColumnsDialog onClose={close} />}</Opener>
);

/** What is ticked is shown at once, and in the address. */
function ColumnsDialog({ onClose }: { onClose(): void }) {
  const w = columnsWords();
  const points = useCommonPoints();
  const { facts, points: chosenPoints } = useColumns();
  const chosen = chosenPoints.map(({ id }) => id);
  const turn = <T extends string>(all: readonly T[], which: T, isOn: boolean): string =>
    (isOn ? [...all, which] : all.filter((other) => other !== which)).join(SEPARATOR);
  return (
    <Dialog
      title={w.title}
      onClose={onClose}
      actions={<Button onPress={onClose}>{partWords().close}</Button>}
    >
      <fieldset>
        <legend>{w.facts}</legend>
        {offeredColumns().map((column) => (
          <Check
            key={column}
            label={w.of[column]}
            value={facts.includes(column)}
            onChange={(isOn) =>
              setQuery({ [COLUMNS_PARAMETER]: turn(facts, column, isOn) || NONE })
            }
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{w.points}</legend>
        {points.length === 0 && <p class="quiet">{w.chooseProfile}</p>}
        {points.map(({ id, pointName }) => (
          <Check
            key={id}
            label={pointName}
            value={chosen.includes(id)}
            isOff={chosen.length >= MOST_POINTS && !chosen.includes(id)}
            onChange={(isOn) => setQuery({ pointId: turn(chosen, id, isOn) })}
          />
        ))}
        {points.length > MOST_POINTS && <small class="quiet">{w.most(MOST_POINTS)}</small>}
      </fieldset>
      {query.value.has(COLUMNS_PARAMETER) && (
        <Button kind="quiet" onPress={() => setQuery({ [COLUMNS_PARAMETER]: null })}>
          {w.usual}
        </Button>
      )}
    </Dialog>
  );
}
