import { expect, it } from 'vitest';

import { kinds, runBacktest, StillClock } from '../support/runs/rules/backtest.ts';
import { recordKinds, runRecorded } from '../support/runs/rules/recorded.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const world = started(() => startWorld({ clock: new StillClock() }));

it('a preview of recorded values raises what the evaluation raised, of every kind of rule', async () => {
  const series = Object.keys(kinds).length;
  const compared = await runBacktest(world, { seed: 20_261_128, series });
  expect(compared.flatMap(({ kind, wrong }) => wrong.map((one) => `${kind}: ${one}`))).toEqual([]);
  expect(compared.filter(({ alarms }) => alarms > 0).length).toBeGreaterThan(series / 2);
}, 300_000);

it('a preview of recorded outages, reports and events raises what the evaluation raised, of every kind of rule', async () => {
  const series = Object.keys(recordKinds).length;
  const compared = await runRecorded(world, { seed: 20_261_130, series });
  expect(compared.flatMap(({ kind, wrong }) => wrong.map((one) => `${kind}: ${one}`))).toEqual([]);
  expect(compared.filter(({ alarms }) => alarms > 0).map(({ kind }) => kind)).toEqual(
    Object.keys(recordKinds),
  );
}, 300_000);
