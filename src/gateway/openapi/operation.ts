import { CURRENT_PATH } from '../../auth/login/routes.ts';
import type { Route } from '../../kernel/app/route.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import type { Examples } from './examples.ts';
import { bodyOf, fileForm, parametersOf, signedForm, signedHeaders } from './input.ts';

/** The three login headers together, a cookie in place of the last, or the cookie of a session with its proof. */
export const INTERACTIVE: readonly JsonSchema[] = [
  { tenant: [], login: [], token: [] },
  { tenant: [], login: [], tokenCookie: [] },
  { session: [], proof: [] },
];
/** The call that answers the proof. */
const CURRENT = `auth${CURRENT_PATH}`;

const failure = { $ref: '#/components/responses/Failure' };

type Around = {
  /** Schema of the answer. */
  data: JsonSchema | null;
  examples: Examples;
  /** Collects the components that the body refers to. */
  parts: Record<string, JsonSchema>;
};

/** One route as an OpenAPI operation, permission and risk included. */
export function operationOf(
  center: string,
  route: Route,
  { data, examples, parts }: Around,
): JsonSchema {
  const { method, path, needs, scope, risk, summary, input } = route;
  const form = route.file ? fileForm : route.signed ? signedForm : null;
  const ofForm = route.file ? 'file' : 'signed';
  const body = form ?? (method === 'post' ? bodyOf(input, { examples, parts }) : null);
  const inQuery =
    method === 'get' || form
      ? parametersOf(input, examples).filter(({ name }) => !(form && name === ofForm))
      : null;
  const parameters = inQuery && [...inQuery, ...(route.signed ? signedHeaders : [])];
  const open = needs === 'public';
  return {
    operationId: [center, ...path.slice(1).split('/')].join('.'),
    tags: [tagOf(center, path)],
    summary,
    ...(parameters === null ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      200: {
        description: route.code,
        content: contentOf(route, data),
      },
      ...(open ? {} : { 401: failure, 403: failure }),
      '4XX': failure,
    },
    security: open
      ? []
      : [
          ...(center + path === CURRENT ? [{ session: [] }] : []),
          ...INTERACTIVE,
          ...(scope === 'interactive' ? [] : [{ oauth: [scope] }, { key: [scope] }]),
        ],
    ...(needs.includes(':') ? { 'x-permission': `svc-center-${center}:${needs}` } : {}),
    ...(open ? {} : { 'x-scope': scope }),
    'x-ai-risk': { ...risk },
  };
}

function contentOf({ csv, parquet, download }: Route, data: JsonSchema | null): JsonSchema {
  if (csv === 'answer' || csv === 'stream') return { 'text/csv': { schema: data } };
  if (parquet) return { 'application/vnd.apache.parquet': { schema: data } };
  if (download) return { '*/*': { schema: data } };
  return { 'application/json': { schema: envelopeOf(data) } };
}

/** The noun of a route's path, with its center: several centers have routes of a device. */
const tagOf = (center: string, path: string): string =>
  `${center}: ${(path.split('/')[1] ?? '').replaceAll('_', ' ')}`;

const envelopeOf = (data: JsonSchema | null): JsonSchema => ({
  allOf: [{ $ref: '#/components/schemas/Envelope' }],
  ...(data === null ? {} : { properties: { data } }),
});
