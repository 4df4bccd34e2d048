import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { boundsIn } from '../../src/cli/form-bounds.ts';
import { bounds } from '../../src/console/app/client/bounds.ts';
import { openApi } from '../../src/gateway/openapi/document.ts';

const files = globSync('src/console/app/page/**/*.{ts,tsx}');
const read = (file: string): string => readFileSync(file, 'utf8');
const document = openApi({ baseUrl: '' });

/** Lists of texts that a file has written out, each as one text in order of the alphabet. */
const listsIn = (text: string): string[] =>
  [...text.matchAll(/\[\s*((?:'[^']*',?\s*){2,})\]/g)].map(([, list = '']) =>
    [...list.matchAll(/'([^']*)'/g)]
      .map(([, each = '']) => each)
      .toSorted((one, other) => one.localeCompare(other))
      .join(),
  );

/** Every enumeration of what operations take, as `listsIn` has it; operators are grouped by what they compare with. */
function enumerationsIn(given: unknown, name = ''): string[] {
  if (typeof given !== 'object' || given === null) return [];
  if (['responses', 'components', 'operator'].includes(name)) return [];
  const own = z.object({ enum: z.array(z.unknown()).min(2) }).safeParse(given);
  const names = own.success ? own.data.enum.filter((each) => typeof each === 'string') : [];
  const inside = Object.entries(given).flatMap(([key, each]) => enumerationsIn(each, key));
  return [names.toSorted((one, other) => one.localeCompare(other)).join(), ...inside];
}

describe('bounds of forms', () => {
  it('are those that the OpenAPI document has', () => {
    expect(bounds).toEqual(boundsIn(document, files.map(read)));
    expect(bounds['POST /manager/firmware/rollout/start']).toMatchObject({
      waveSize: { type: 'integer', min: 1, max: 1_000 },
    });
    expect(bounds['POST /data/notify/add']).toMatchObject({
      'notifyExt.content.grouping.waitMs': { min: 1_000, max: 3_600_000 },
    });
    expect(bounds['POST /data/maintenance/add']).toMatchObject({
      maintenanceName: { required: true, longest: 64 },
      modeFlag: { values: ['MUTE', 'MARK'] },
    });
  });

  it('are written nowhere else', () => {
    const known = new Set(enumerationsIn(document).filter((each) => each.includes(',')));
    for (const file of files) {
      expect
        .soft(
          listsIn(read(file)).filter((list) => known.has(list)),
          file,
        )
        .toEqual([]);
      expect.soft(read(file).match(/\bform\.of\([^)]*\d|\bmax="/g), file).toBeNull();
    }
  });
});
