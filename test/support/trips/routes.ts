import { z } from 'zod';

import { ownInput } from '../cases/foreign-cases.ts';
import { fieldsOf } from '../cases/input-shape.ts';
import { Records } from '../people/shapes.ts';
import { fresh } from '../world/fresh-name.ts';
import type { Call } from './call.ts';
import { agenticExamples } from './examples/agentic.ts';
import { authExamples } from './examples/auth.ts';
import { dataExamples } from './examples/data.ts';
import type { Add, Example, Examples } from './examples/example.ts';
import { firmwareExamples } from './examples/firmware.ts';
import { managerExamples } from './examples/manager.ts';
import { type Row, rows, send } from './rows.ts';
import type { Site } from './site.ts';

/** Routes of the platform's own admin. */
const PLATFORM = /^auth\/(tenant\/(add|delete)|api\/|menu\/|resource\/)|^data\/dead_letter\//;

/** What an answer to an `add` calls the new entity. */
const Added = z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]);

/** Every route, called by the admin of a tenant or of the platform. */
export function routeCalls(site: Site): Call[] {
  const { mine, platform, own } = site;

  /** All that the route needs, with fresh names or, to find something, an example; a change where it is an update. */
  function usual(row: Row): Example {
    const input = ownInput(row, own);
    for (const { name, required, example } of fieldsOf(row.input)) {
      if (row.path.endsWith('/update') && name === 'remark') input[name] = fresh('remark');
      if (required && /(Name|Code)$/.test(name))
        input[name] = row.risk.riskLevel === 'LOW' && example ? example : fresh(row.center);
    }
    return { input, session: PLATFORM.test(row.key) ? platform : mine };
  }

  async function exampleOf(key: string): Promise<Example> {
    const row = rows.find((candidate) => candidate.key === key);
    if (!row) throw new Error(`there is no route ${key}`);
    if (/^manager\/device\/(add|import)$/.test(key)) isCrowded = true;
    const special = examples[key];
    if (special) return special();
    const example = usual(row);
    // Of an entity of its own: it is removed, or belongs to the platform.
    if (row.path.endsWith('/delete') || (PLATFORM.test(key) && 'id' in example.input))
      example.input['id'] = await add(key.replace(/\/\w+$/, '/add'));
    return example;
  }

  const add: Add = async (key, more = {}) => {
    const { input, session = mine } = await exampleOf(key);
    return Added.parse(await session.data(`/api/v3/${key}`, { ...input, ...more }));
  };

  /** Whether there may be more devices than at first: some calls take trips for each device of a driver. */
  let isCrowded = false;
  const onlyFirstDevices = async (): Promise<void> => {
    if (!isCrowded) return;
    isCrowded = false;
    const page = { current: 1, size: 100 };
    const { records } = Records.parse(await mine.data('/api/v3/manager/device/list', { page }));
    for (const { id } of records)
      if (id !== own.device && id !== site.plant.deviceId)
        await mine.data('/api/v3/manager/device/delete', { id });
  };

  const examples: Examples = {
    ...authExamples(site, add),
    ...managerExamples(site, add),
    ...firmwareExamples(site, add),
    ...dataExamples(site, add),
    ...agenticExamples(site, add),
  };

  return rows.map((row) => ({
    name: row.name,
    async prepare() {
      await onlyFirstDevices();
      const example = await exampleOf(row.key);
      const { until } = example;
      return async () => {
        const ended = until && site.meter.handled(until);
        await send(row, { session: mine, ...example });
        await ended;
      };
    },
    touch: () => (PLATFORM.test(row.key) ? platform : mine).data('/api/v3/manager/label/list', {}),
  }));
}
