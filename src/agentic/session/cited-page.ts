import { z } from 'zod';

/** A page of a manual that a tool returned. */
export type PageSource = { manualId: string; manualName: string; page: number };

const Page = z.object({ manualId: z.string(), manualName: z.string(), page: z.number() });

/** The pages in the result of a tool: found by words, or read. */
export function pagesIn({ found, read }: Record<string, unknown>): PageSource[] {
  const pages = [...(Array.isArray(found) ? found : []), read];
  return pages.flatMap((each) => Page.safeParse(each).data ?? []);
}

/** How an answer names a page: before its number, or around it. */
const NAMED =
  /(?:\bpages?|\bpp?\.|\bpg\.|\bSeiten?|(?<![\p{L}.])S\.|\bp[áa]g(?:ina|ine|e|\.)s?|страниц\p{L}*|\bстр\.|第)\s*(?<before>\d{1,5})(?![\p{N}.,]\d)(?:\s*[页頁])?|(?<![\p{N}.,])(?<after>\d{1,5})\s*(?:页|頁|ページ)/giu;

type Named = PageSource & { start: number; end: number };

/** Characters of an answer before a page, and of its sentence after it, in which its manual is named. */
const NEAR = 200;
const SENTENCE_END = /[.;!?]\s|[。；！？\n]/;
/** Shorter names are in many words. */
const SHORTEST_NAME = 3;
const MAX_NAMED = 50;
const MAX_SOURCES = 200;

/**
 * The pages that `text` names of these, each with where: of manuals with that page, the one whose name comes last before
 * it, else the first one after it in its sentence, within 200 characters. A page that no tool returned is none. At most 50, of the
 * newest 200 pages.
 */
export function namedPages(text: string, sources: readonly PageSource[]): Named[] {
  if (sources.length === 0) return [];
  const lower = text.toLowerCase();
  const pages = sources.slice(-MAX_SOURCES);
  return text
    .matchAll(NAMED)
    .take(MAX_NAMED)
    .toArray()
    .flatMap(({ 0: words, index, groups = {} }) => {
      const page = Number(groups['before'] ?? groups['after']);
      const end = index + words.length;
      const [after = ''] = lower.slice(end, end + NEAR).split(SENTENCE_END);
      const near = [lower.slice(Math.max(0, index - NEAR), index), after];
      let best: { source: PageSource; distance: number } | null = null;
      for (const source of pages) {
        if (source.page !== page) continue;
        const distance = distanceOf(source.manualName.toLowerCase(), near);
        if (distance !== null && (best === null || distance < best.distance))
          best = { source, distance };
      }
      return best === null ? [] : [{ ...best.source, start: index, end }];
    });
}

/** How far a name is from a page between two texts, a name before it always nearer; null: it is in neither. */
function distanceOf(name: string, [before = '', after = '']: readonly string[]): number | null {
  if (name.length < SHORTEST_NAME) return null;
  const last = before.lastIndexOf(name);
  if (last !== -1) return before.length - last - name.length;
  const first = after.indexOf(name);
  return first === -1 ? null : NEAR + first;
}
