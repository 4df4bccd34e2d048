import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { centers } from '../../../src/gateway/mount/centers.ts';
import type { Route } from '../../../src/kernel/app/route.ts';
import { answerSchemas } from '../../../src/kernel/input/json-schema.ts';

const routes = new Map<string, Route>(
  Object.entries(centers).flatMap(([center, rows]) =>
    rows.map((route) => [`${route.method} /api/v3/${center}${route.path}`, route] as const),
  ),
);
const checks = new Map<string, ValidateFunction>();
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/**
 * Throws when `data` of a successful answer is not what its route declares: a field too many, too few, or of
 * another type. So every call of every test checks the OpenAPI document.
 */
export function expectDeclared(method: 'GET' | 'POST', path: string, data: unknown): void {
  const key = `${method.toLowerCase()} ${path}`;
  const output = routes.get(key)?.output;
  if (!output) return;
  const check = checks.get(key) ?? compiled(key, output);
  const given = data === undefined ? {} : { data };
  if (!check(given))
    throw new Error(`${key}: the answer is not as declared: ${ajv.errorsText(check.errors)}`);
}

type Output = Parameters<typeof answerSchemas>[0][string];

function compiled(key: string, output: Output): ValidateFunction {
  const { $defs, properties } = answerSchemas({ data: output }, { isStrict: true });
  const isEmpty = Object.keys(properties['data'] ?? {}).length === 0;
  const check = ajv.compile({
    $defs,
    type: 'object',
    properties: isEmpty ? {} : properties,
    additionalProperties: false,
    required: isEmpty ? [] : ['data'],
  });
  checks.set(key, check);
  return check;
}
