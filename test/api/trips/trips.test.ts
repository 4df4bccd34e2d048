import { readFileSync, writeFileSync } from 'node:fs';

import { beforeAll, expect, it } from 'vitest';

import { auditCalls } from '../../support/trips/audit.ts';
import { chatCalls } from '../../support/trips/chat.ts';
import { limits, overLimit } from '../../support/trips/limits.ts';
import { type Measured, measured } from '../../support/trips/measure.ts';
import { resourceCalls } from '../../support/trips/resources.ts';
import { routeCalls } from '../../support/trips/routes.ts';
import { startSite } from '../../support/trips/site.ts';
import { changesOf, tableOf } from '../../support/trips/table.ts';
import { toolCalls } from '../../support/trips/tools.ts';
import { started } from '../../support/world/prepared.ts';

const TABLE = new URL('trips.txt', import.meta.url);
const isUpdate = process.env['UPDATE_TRIPS'] === '1';

let all: Map<string, Measured>;
const site = started(startSite);
beforeAll(async () => {
  all = await measured(site, [
    ...toolCalls(site),
    ...resourceCalls(site),
    ...auditCalls(site),
    ...chatCalls(site),
    ...routeCalls(site),
  ]);
}, 300_000);

it('takes as many trips and statements as trips.txt says (UPDATE_TRIPS=1 writes it)', () => {
  if (isUpdate) writeFileSync(TABLE, tableOf(all));
  const table = readFileSync(TABLE, 'utf8');
  expect(tableOf(all), changesOf(all, table)).toBe(table);
});

it('takes no more trips than a call of its kind may', () => {
  expect(overLimit(all)).toEqual([]);
});

it('has a limit for nothing that is not counted', () => {
  expect([...limits.keys()].filter((name) => !all.has(name))).toEqual([]);
});
