import jsep from 'jsep';

import { quoted } from '../../kernel/sentence/voice.ts';

/** Numbers, names of points, `+ - * / ^`, signs, parentheses and these functions; nothing else is read. */
const FUNCTIONS: Readonly<Record<string, (...of: number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  abs: (value) => Math.abs(value),
  round: (value) => Math.round(value),
};
const OF_ONE = new Set(['abs', 'round']);

type Node =
  | { is: 'number'; value: number }
  | { is: 'point'; name: string }
  | { is: 'sign'; of: Node }
  | { is: 'binary'; operator: keyof typeof BINARY; left: Node; right: Node }
  | { is: 'call'; name: string; of: readonly Node[] };

const BINARY = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '^': (a: number, b: number) => a ** b,
} as const;
const isOperator = (text: string): text is keyof typeof BINARY => Object.hasOwn(BINARY, text);

jsep.removeAllBinaryOps();
jsep.removeAllUnaryOps();
jsep.removeAllLiterals();
jsep.addUnaryOp('+');
jsep.addUnaryOp('-');
jsep.addBinaryOp('+', 1);
jsep.addBinaryOp('-', 1);
jsep.addBinaryOp('*', 2);
jsep.addBinaryOp('/', 2);
jsep.addBinaryOp('^', 3, true);

/** A formula that was read, and the names of points in it. */
export type Formula = { root: Node; names: readonly string[] };

/** What is wrong with a formula, and at which character it is. */
export class FormulaError extends Error {}

/** Where each part of a formula that is being read ends. */
const ends = new WeakMap<object, number>();
jsep.hooks.add('after-token', function note({ node }) {
  if (typeof node === 'object') ends.set(node, this.index);
});

const NOTHING_ELSE = 'only numbers, points, + - * / ^, parentheses and functions are read';

/** Reads a formula; throws FormulaError. */
export function formulaOf(text: string): Formula {
  const names = new Set<string>();
  const parsed = parsedOf(text);
  const wrong = (node: object, why: string): FormulaError =>
    new FormulaError(`${why} (before character ${(ends.get(node) ?? text.length) + 1})`);
  const point = (name: string): Node => {
    names.add(name);
    return { is: 'point', name };
  };
  const read = (node: jsep.CoreExpression): Node => {
    if (node.type === 'Literal' && typeof node.value === 'string') return point(node.value);
    if (node.type === 'Literal' && typeof node.value === 'number')
      return { is: 'number', value: node.value };
    if (node.type === 'Identifier') return point(node.name);
    if (node.type === 'CallExpression') return call(node);
    if (node.type === 'UnaryExpression') {
      const of = read(core(node.argument, text));
      return node.operator === '-' ? { is: 'sign', of } : of;
    }
    if (node.type === 'BinaryExpression' && isOperator(node.operator)) {
      const left = read(core(node.left, text));
      const right = read(core(node.right, text));
      return { is: 'binary', operator: node.operator, left, right };
    }
    throw wrong(node, NOTHING_ELSE);
  };
  const call = (node: jsep.CallExpression): Node => {
    const { callee } = node;
    const name =
      callee.type === 'Identifier' && typeof callee['name'] === 'string' ? callee['name'] : '';
    const known = Object.keys(FUNCTIONS).join(', ');
    if (!Object.hasOwn(FUNCTIONS, name)) throw wrong(node, `${quoted(name)} is none of ${known}`);
    const of = node.arguments.map((each) => read(core(each, text)));
    if (of.length === 0 || (OF_ONE.has(name) && of.length > 1))
      throw wrong(node, `${name} takes ${OF_ONE.has(name) ? 'one number' : 'numbers'}`);
    return { is: 'call', name, of };
  };
  const root = read(parsed);
  return { root, names: [...names] };
}

function parsedOf(text: string): jsep.CoreExpression {
  try {
    return core(jsep(text), text);
  } catch (error) {
    if (error instanceof FormulaError) throw error;
    const at = error instanceof Error && 'index' in error ? Number(error.index) : 0;
    const why = error instanceof Error && 'description' in error ? String(error.description) : '';
    throw new FormulaError(`${why} (at character ${at + 1})`);
  }
}

const TYPES: readonly string[] = [
  'ArrayExpression',
  'BinaryExpression',
  'CallExpression',
  'Compound',
  'Identifier',
  'Literal',
  'MemberExpression',
  'SequenceExpression',
  'ThisExpression',
  'UnaryExpression',
] satisfies jsep.ExpressionType[];
const isCore = (node: jsep.Expression): node is jsep.CoreExpression => TYPES.includes(node.type);

/** Throws for `a ? b : c`, which the parser reads beside the operators that it is given. */
function core(node: jsep.Expression, text: string): jsep.CoreExpression {
  if (isCore(node)) return node;
  throw new FormulaError(`${NOTHING_ELSE} (at character ${text.indexOf('?') + 1})`);
}

/** Whether a formula is how far points are apart: one minus another, whatever sign or function is around it. */
export function isDifference({ root, names }: Formula): boolean {
  let node = root;
  while (node.is === 'sign' || (node.is === 'call' && node.of.length === 1)) {
    const inner = node.is === 'sign' ? node.of : node.of[0];
    if (!inner) return false;
    node = inner;
  }
  return node.is === 'binary' && node.operator === '-' && names.length > 1;
}

/** The number that a formula comes to; null where a point has none, and for what is no number, as after a division by 0. */
export function numberFrom(
  { root }: Formula,
  valueOf: (name: string) => number | null,
): number | null {
  const of = (node: Node): number => {
    if (node.is === 'number') return node.value;
    if (node.is === 'point') return valueOf(node.name) ?? Number.NaN;
    if (node.is === 'sign') return -of(node.of);
    if (node.is === 'binary') return BINARY[node.operator](of(node.left), of(node.right));
    return FUNCTIONS[node.name]?.(...node.of.map(of)) ?? Number.NaN;
  };
  const value = of(root);
  return Number.isFinite(value) ? value : null;
}
