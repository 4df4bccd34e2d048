import { readFileSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { auditCalls } from '../../support/trips/audit.ts';
import { chatCalls } from '../../support/trips/chat.ts';
import { limits, overLimit } from '../../support/trips/limits.ts';
import { type Measured, measured } from '../../support/trips/measure.ts';
import { resourceCalls } from '../../support/trips/resources.ts';
import { routeCalls } from '../../support/trips/routes.ts';
import { type Site, startSite } from '../../support/trips/site.ts';
import { changesOf, tableOf } from '../../support/trips/table.ts';
import { toolCalls } from '../../support/trips/tools.ts';

const TABLE = new URL('trips.txt', import.meta.url);
/** Calls that take more trips than they may. It only gets shorter: with UPDATE_TRIPS=1, by those that do no more. */
const NOT_YET = new URL('not-yet.txt', import.meta.url);
const isUpdate = process.env['UPDATE_TRIPS'] === '1';

let site: Site;
let all: Map<string, Measured>;
beforeAll(async () => {
  site = await startSite();
  all = await measured(site, [
    ...toolCalls(site),
    ...resourceCalls(site),
    ...auditCalls(site),
    ...chatCalls(site),
    ...routeCalls(site),
  ]);
}, 300_000);
afterAll(() => site?.stop());

it('takes as many trips and statements as trips.txt says (UPDATE_TRIPS=1 writes it)', () => {
  if (isUpdate) writeFileSync(TABLE, tableOf(all));
  const table = readFileSync(TABLE, 'utf8');
  expect(tableOf(all), changesOf(all, table)).toBe(table);
});

it('takes no more trips than a call of its kind may, but for those in not-yet.txt', () => {
  const known = readFileSync(NOT_YET, 'utf8').split('\n').filter(Boolean);
  const over = overLimit(all);
  const left = isUpdate ? known.filter((line) => over.includes(line)) : known;
  if (isUpdate) writeFileSync(NOT_YET, left.map((line) => `${line}\n`).join(''));
  expect(over).toEqual(left);
});

it('has a limit for nothing that is not counted', () => {
  expect([...limits.keys()].filter((name) => !all.has(name))).toEqual([]);
});
