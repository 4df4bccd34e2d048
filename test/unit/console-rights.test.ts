import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Schemas } from '../../src/console/app/client/operations.ts';
import { centersOf, narrowedTo, type Described } from '../../src/console/app/page/people/right.ts';
import { permissionCodes } from '../../src/gateway/mount/centers.ts';

const Words = z.object({ rightsWords: z.custom<{ both: { en: Described } }>() });
/** By its address: its types are those of a browser. */
const { rightsWords } = Words.parse(
  await import(pathToFileURL(resolve('src/console/app/word/rights.ts')).href),
);
const said = rightsWords.both.en;

const resource = (resourceCode: string, at: number): Schemas['Resource'] => ({
  id: String(at + 1),
  remark: '',
  creatorId: '0',
  creatorName: '',
  createTime: '2026-01-01T00:00:00Z',
  operatorId: '0',
  operatorName: '',
  operateTime: '2026-01-01T00:00:00Z',
  parentResourceId: '0',
  resourceName: resourceCode,
  resourceCode,
  serviceName: '',
  resourceTypeFlag: 'API',
  resourceScopeFlag: 'GET',
  entityId: '0',
  resourceExt: {},
  enableFlag: 'ENABLE',
});

describe('the rights of a role', () => {
  const codes = permissionCodes();
  const centers = centersOf(['*', 'of-a-plugin', ...codes].map(resource), said);
  const known = centers.filter(({ center }) => center !== 'other');

  it('have words for each permission of the platform', () => {
    const nouns = new Set<string>(Object.keys(said.nouns));
    const verbs = new Set<string>(Object.keys(said.verbs));
    for (const code of codes) {
      const [, noun = '', verb = ''] = code.split(':');
      expect(nouns, code).toContain(noun);
      expect(verbs, code).toContain(verb);
    }
    const used = new Set(
      codes.flatMap((code) => {
        const [center = '', noun = ''] = code.replace('svc-center-', '').split(':');
        return [noun, `${center}_${noun}`];
      }),
    );
    expect([...nouns].filter((noun) => !used.has(noun))).toEqual([]);
  });

  it('are all there once, and unknown ones by their code', () => {
    const shown = known.flatMap(({ subjects }) => subjects.flatMap(({ rights }) => rights));
    expect(shown.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
    expect(centers.find(({ center }) => center === 'other')?.subjects).toMatchObject([
      { name: 'of-a-plugin', rights: [{ verb: 'of-a-plugin' }] },
    ]);
  });

  it('are found by words and by codes', () => {
    const found = (text: string): string[] =>
      narrowedTo(centers, text, () => true).flatMap(({ subjects }) =>
        subjects.flatMap(({ rights }) => rights.map(({ code }) => code)),
      );
    expect(found('alarm rules')).toContain('svc-center-data:rule:add');
    expect(found(' Process AGAIN ')).toEqual(['svc-center-data:dead_letter:replay']);
    expect(found('agentic:action:confirm')).toEqual(['svc-center-agentic:action:confirm']);
    expect(found('no such thing')).toEqual([]);
    expect(narrowedTo(centers, '', () => false)).toEqual([]);
  });
});
