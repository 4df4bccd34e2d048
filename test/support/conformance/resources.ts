import { z } from 'zod';

import type { Resource, ResourceBody } from '../../../src/kernel/app/app.ts';
import { PERMISSION, PNG } from './fixture.ts';

const resource = (
  uri: string,
  params: z.ZodObject,
  body: (given: Record<string, unknown>) => ResourceBody,
): Resource => ({
  uri,
  name: uri,
  title: uri,
  domain: 'System',
  description: 'Fixture of the conformance suite.',
  permission: PERMISSION,
  scope: 'svc:read',
  mimeType: body({}).mimeType,
  params,
  output: z.object({}),
  read: () => Promise.resolve({}),
  body: async (_app, _caller, given) => body(params.parse(given)),
});

const none = z.object({});

export const fixtureResources = [
  resource('test://static-text', none, () => ({
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  })),
  resource('test://static-binary', none, () => ({ mimeType: 'image/png', blob: PNG })),
  {
    ...resource('test://watched-resource', none, () => ({ mimeType: 'text/plain', text: 'now' })),
    follows: () => ['alarm'],
  },
  resource('test://template/{id}/data', z.object({ id: z.string() }), ({ id }) => ({
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
  })),
];
