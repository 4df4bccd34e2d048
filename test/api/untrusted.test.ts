import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { isFree, quotationsIn } from '../../src/kernel/sentence/free-text.ts';
import { clean } from '../../src/kernel/sentence/visible.ts';
import { resolve } from '../../src/mcp/offer/resource-uri.ts';
import { resources } from '../../tools/resource/index.ts';
import { MARKER, plantText } from '../support/hostile/planted-text.ts';
import { resourceCalls } from '../support/trips/resources.ts';
import { type Site, startSite } from '../support/trips/site.ts';
import { toolCalls } from '../support/trips/tools.ts';
import { started } from '../support/world/prepared.ts';

/** Longest text of an answer, and longest sentence of the platform: one about several writes quotes each. */
const MAX_TEXT = 800;
const MAX_SAID = 2_400;

type Answer = { by: string; fields: readonly string[]; content: unknown };
type Leaf = { by: string; path: string; text: string; isLabelled: boolean };

const Labelled = z.object({
  _meta: z.object({ 'svc/untrusted': z.array(z.string()).default([]) }).default({
    'svc/untrusted': [],
  }),
});
const Marked = z.object({ untrusted: z.array(z.string()) });

const answers: Answer[] = [];

/** The texts of an answer with the place of each, as the label names places. */
function* leaves(value: unknown, path: string): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value))
    for (const [at, item] of value.entries())
      yield* leaves(
        item,
        Array.isArray(value[0]) || path !== 'rows[]' ? `${path}[]` : `${path}[${at}]`,
      );
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      expect(name).not.toContain(MARKER);
      yield* leaves(item, path === '' ? name : `${path}.${name}`);
    }
}

const planted = (): Leaf[] =>
  answers.flatMap(({ by, fields, content }) =>
    [...leaves(content, '')]
      .filter(({ text }) => text.includes(MARKER))
      .map((leaf) => ({ by, ...leaf, isLabelled: fields.includes(leaf.path) })),
  );

const site = started(startSite);
beforeAll(async () => {
  await plantText(site.world, site.mine.tenantId);
  const agent: Site['agent'] = {
    ...site.agent,
    async call(name, input) {
      const answer = await site.agent.call(name, input);
      const { _meta: label } = Labelled.parse(answer);
      const fields = label['svc/untrusted'];
      answers.push({ by: name, fields, content: answer.structuredContent ?? answer.content });
      return answer;
    },
    async read(uri) {
      const content = await site.agent.read(uri);
      const { resource } = resolve(resources, uri) ?? {};
      const fields = resource?.untrusted?.fields ?? [];
      answers.push({ by: resource?.uri ?? uri, fields, content });
      return content;
    },
  };
  for (const { name, prepare } of toolCalls({ ...site, agent }))
    if (!name.endsWith('by name')) await (await prepare())();
  for (const { prepare } of resourceCalls({ ...site, agent })) await (await prepare())();
});

describe('a hostile text in every text of a tenant', () => {
  it('comes to agents from nearly every tool and resource, so that this means something', () => {
    expect(new Set(planted().map(({ by }) => by)).size).toBeGreaterThanOrEqual(30);
  });

  it('is without invisible characters, and capped', () => {
    for (const { by, path, text } of planted()) {
      expect(clean(text, Infinity), `${by} ${path}`).toBe(text);
      const limit = /(^|[.\]])say$/.test(path) ? MAX_SAID : MAX_TEXT;
      expect(text.length, `${by} ${path}`).toBeLessThanOrEqual(limit);
      for (const quotation of quotationsIn(text))
        expect(quotation.length).toBeLessThanOrEqual(MAX_TEXT);
    }
  });

  it('is in a field that the answer calls untrusted', () => {
    expect(planted().filter(({ isLabelled }) => !isLabelled)).toEqual([]);
  });

  it('is alone in its field, or quoted in a sentence of the platform', () => {
    const bare = planted().filter(({ text }) => {
      const rest = quotationsIn(text).reduce((left, one) => left.replace(`“${one}`, ''), text);
      return !text.startsWith(MARKER) && rest.includes(MARKER);
    });
    expect(bare).toEqual([]);
  });

  it('is named beside the answer, where it is more than a name', () => {
    for (const { by, content } of answers) {
      const free = planted().filter((leaf) => leaf.by === by && isFree(leaf.text, 6));
      if (free.length > 0 && JSON.stringify(content).includes(MARKER))
        expect(Marked.safeParse(content).success, by).toBe(true);
    }
  });
});
