import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { largeFunctions } from './functions.ts';
import { importsIn, largestCircle, mutualPairs, sourcesIn } from './imports.ts';
import { filesOfFlow, filesOfPage, filesOfRecipe } from './touched.ts';
import { privateNames } from './words.ts';

/** What is measured of a tree: a figure, or what is counted, by its names. */
type Measure = [name: string, figure: number | string | readonly string[]];

/** A UI toolkit is Preact, or a file that makes elements of any tag; small drawings without axes are no chart. */
const TOOLKIT = /\bcreateElement(NS)?\((?!\s*['"])(?!\s*SVG,\s*['"])/;
const CHART = /(?=[\s\S]*(<svg|svg\())(?=[\s\S]*\b(ticks|axes)\b)/i;
/** Three cautions that every way to see the card has. */
const CARD = /['"`][^'"`\n]*(has this value already|The same was rejected|could (have )?instruct)/;

/** Everything that is measured, of a copy of a tree (`largeFunctions` writes into it). */
export function measuresOf(root: string): Measure[] {
  const files = sourcesIn(root);
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const lines = (path: string): number => read(path).split('\n').length - 1;
  const linesOf = (pattern: string): number =>
    globSync(pattern, { cwd: root }).reduce((sum, path) => sum + lines(path), 0);
  const lengths = files.map(lines).toSorted((a, b) => a - b);
  const at = (share: number): number => lengths[Math.floor(lengths.length * share)] ?? 0;
  const ui = files.filter((path) => path.startsWith('src/console/'));
  const drawing = (library: string, byHand: RegExp): string[] => [
    ...(ui.some((path) => read(path).includes(`from '${library}'`)) ? [library] : []),
    ...ui.filter((path) => byHand.test(read(path))),
  ];
  const imports = importsIn(root, files);
  const values = imports.filter(({ isType }) => !isType);
  const isInside = (pair: string): boolean => !/(^| )(?!src\/console)\w/.test(pair);
  const isOutside = (pair: string): boolean => !isInside(pair);
  const importers = Map.groupBy(imports, ({ to }) => to);
  const hasOneImporter = (path: string): boolean =>
    new Set(importers.get(path)?.map(({ from }) => from)).size === 1;
  const functions = largeFunctions(root, files);
  const over = (least: number, isComplex: boolean): string[] =>
    functions
      .filter((each) => each.isComplex === isComplex && each.figure > least)
      .map(({ name, figure }) => `${name}: ${figure}`);
  const words = privateNames(root, files);
  return [
    ['loose files in `src`', globSync('src/*.*', { cwd: root })],
    [
      'pairs of folders that import each other outside the console',
      mutualPairs(imports).filter(isOutside),
    ],
    ['… by values alone', mutualPairs(values).filter(isOutside)],
    ['… inside the console', mutualPairs(imports).filter(isInside)],
    ['… inside the console, by values alone', mutualPairs(values).filter(isInside)],
    ['files in the largest circle of imports, types included', largestCircle(imports)],
    ['functions over 100 lines', over(100, false)],
    ['functions over 80 lines', over(80, false).length],
    ['functions with a complexity above 20', over(20, true)],
    ['folders', new Set(files.map((path) => dirname(path))).size],
    ['UI toolkits', drawing('preact', TOOLKIT)],
    ['chart engines', drawing('uplot', CHART)],
    ['places that word the card', files.filter((path) => CARD.test(read(path)))],
    ['private words in names of files and folders', words.paths],
    ['private words in exported identifiers', words.exported],
    ['private words in log lines', words.logged],
    ['files opened for flow 1', filesOfFlow(root, 'Flow 1').length],
    ['files opened for flow 2', filesOfFlow(root, 'Flow 2').length],
    ['files touched for a tool', filesOfRecipe(root, /^A tool/) ?? '–'],
    ['files touched for an endpoint', filesOfRecipe(root, /^An endpoint/) ?? '–'],
    ['files touched for a console page', filesOfRecipe(root, /page/) ?? filesOfPage(root)],
    ['production lines, TypeScript', linesOf('{src,tools,providers,driver}/**/*.{ts,tsx}')],
    ['production lines, CSS', linesOf('src/**/*.css')],
    ['production files, TypeScript', files.length],
    ['lines of a file: median, 90 %', `${at(0.5)}, ${at(0.9)}`],
    [
      'files of at most 60 lines with one importer',
      files.filter((path) => hasOneImporter(path) && lines(path) <= 60).length,
    ],
    ['test lines', linesOf('test/**/*.{ts,tsx}')],
  ];
}
