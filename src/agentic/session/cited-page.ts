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
  /(?:\bpages?|\bpp?\.|\bpg\.|\bSeiten?|\bS\.|\bp[áa]g(?:ina|ine|e|\.)s?|страниц\p{L}*|\bстр\.|第)\s*(?<before>\d{1,5})(?![\p{N}.,]\d)(?:\s*[页頁])?|(?<![\p{N}.,])(?<after>\d{1,5})\s*(?:页|頁|ページ)/giu;

type Named = PageSource & { start: number; end: number };

/**
 * The pages that `text` names of these, each with where: of manuals with that page, the one whose name comes last before
 * it, else one that is named at all. A page that no tool returned is none.
 */
export function namedPages(text: string, sources: readonly PageSource[]): Named[] {
  if (sources.length === 0) return [];
  const lower = text.toLowerCase();
  return [...text.matchAll(NAMED)].flatMap(({ 0: words, index, groups = {} }) => {
    const page = Number(groups['before'] ?? groups['after']);
    let best: { source: PageSource; at: number } | null = null;
    for (const source of sources) {
      if (source.page !== page) continue;
      const name = source.manualName.toLowerCase();
      const at = lower.lastIndexOf(name, index);
      if (lower.includes(name) && (best === null || at > best.at)) best = { source, at };
    }
    return best === null ? [] : [{ ...best.source, start: index, end: index + words.length }];
  });
}
