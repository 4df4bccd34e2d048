import { STROKES } from '../../../chart/colors.ts';
import type { Schemas } from '../../client/operations.ts';
import { trendWords } from '../../word/trend.ts';
import { Amount } from '../value/amount.tsx';
import { figuresOf, gapsOf } from './columns.ts';
import { displayed } from './reading.ts';

/** The figures of each line, which say in words and numbers what the chart draws. */
export function Figures({ series }: { series: Schemas['PointTrend']['series'] }) {
  const w = trendWords();
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">{w.figures}</caption>
        <thead>
          <tr>
            <th scope="col">{w.point}</th>
            {[w.lowest, w.mean, w.highest, w.count, w.gaps].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((each, index) => {
            const figures = figuresOf(each);
            return (
              <tr key={`${each.deviceId}:${each.pointId}`}>
                <th scope="row">
                  <Stroke index={index} /> <bdi>{each.pointName}</bdi>
                </th>
                {figures ? (
                  <>
                    {[figures.min, figures.mean, figures.max].map((value, column) => (
                      <td key={column} class="number">
                        <Amount value={displayed(value)} unit={each.unit} />
                      </td>
                    ))}
                    <td class="number tabular">{figures.count.toLocaleString()}</td>
                    <td class="number tabular">{gapsOf(each)}</td>
                  </>
                ) : (
                  <td colSpan={5} class="quiet">
                    {w.noneOfIt}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** How the line of the chart looks. */
function Stroke({ index }: { index: number }) {
  const { color, dash } = STROKES[index % STROKES.length] ?? STROKES[0];
  return (
    <svg class="stroke" viewBox="0 0 32 8" aria-hidden="true">
      <line
        x1={0}
        x2={32}
        y1={4}
        y2={4}
        stroke={`var(${color})`}
        stroke-width={2}
        stroke-dasharray={dash.join(' ')}
      />
    </svg>
  );
}
