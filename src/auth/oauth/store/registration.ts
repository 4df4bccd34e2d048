import express, { type RequestHandler, type Router } from 'express';
import { z } from 'zod';

import type { App } from '../../../kernel/app/app.ts';
import { Text } from '../../../kernel/input/text.ts';
import { slot } from '../../../kernel/slot.ts';
import { queueAudit } from '../../audit/background.ts';
import { RedirectUris } from '../../permission/redirect-uri.ts';
import { SourceLimit } from '../../throttle/source-limit.ts';
import { jsonOf, refuse } from '../body.ts';
import { REGISTRATION_PATH } from '../paths.ts';
import { sourceAt } from '../source.ts';
import { addDynamicClient } from './dynamic-client.ts';

/** Registrations within a minute. */
const MOST = { source: 60, all: 600, free: 5 };

/**
 * The registration fields that are used (RFC 7591 2); others, scopes among them, are ignored: a client
 * requests scopes when a user can grant them.
 */
const Registration = z.object({
  redirect_uris: RedirectUris,
  client_name: Text(4_096).nullish(),
  grant_types: z.array(z.string().max(100)).max(10).nullish(),
  response_types: z.array(z.string().max(100)).max(10).nullish(),
});

const REGISTRATION_LIMIT = slot((clock) => new SourceLimit(clock, MOST));

/** Dynamic client registration, without login because every MCP client starts here (RFC 7591). */
export function registrationRouter(app: App): Router {
  return express
    .Router({ caseSensitive: true, strict: true })
    .options(REGISTRATION_PATH, (_request, response) => {
      response
        .set('Access-Control-Allow-Origin', '*')
        .set('Access-Control-Allow-Methods', 'POST')
        .set('Access-Control-Allow-Headers', 'content-type, mcp-protocol-version')
        .status(204)
        .end();
    })
    .post(REGISTRATION_PATH, register(app));
}

const register =
  (app: App): RequestHandler =>
  async (request, response) => {
    response.set('Access-Control-Allow-Origin', '*');
    const source = sourceAt(response);
    const waitSeconds = app.of(REGISTRATION_LIMIT).take(source);
    if (waitSeconds > 0) {
      response.set('Retry-After', String(waitSeconds)).status(429);
      response.json(refusal('temporarily_unavailable', 'Too many registrations, try again later'));
      return;
    }
    let body: unknown;
    try {
      body = await jsonOf(app, request, response);
    } catch (error) {
      return refuse(response, error, 'invalid_client_metadata');
    }
    const parsed = Registration.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.join('.') ?? '';
      const error = where.startsWith('redirect_uris.')
        ? 'invalid_redirect_uri'
        : 'invalid_client_metadata';
      response.status(400).json(refusal(error, `${where || 'body'}: ${issue?.message}`));
      return;
    }
    const { redirect_uris, client_name, grant_types, response_types } = parsed.data;
    if (
      (grant_types && !grant_types.includes('authorization_code')) ||
      (response_types && !response_types.includes('code'))
    ) {
      const text = 'Only the authorization code grant is open to clients that register themselves';
      response.status(400).json(refusal('invalid_client_metadata', text));
      return;
    }
    const client = await addDynamicClient(app, {
      name: readable(client_name ?? ''),
      redirectUris: [...new Set(redirect_uris)],
      source,
    });
    queueAudit(app, {
      who: null,
      credential: '',
      action: 'CREATE',
      resourceType: 'OAUTH_CLIENT',
      resourceId: client.client_id ?? '',
      resourceName: readable(client_name ?? ''),
      status: 'SUCCESS',
      errorCode: '',
      detail: { door: 'oauth', hosts: hostsOf(redirect_uris) },
      source,
      at: app.clock.now(),
    });
    response.status(201).json(client);
  };

/** To where its users are sent; a path or query may hold more than an address. */
const hostsOf = (uris: readonly string[]): string[] => [
  ...new Set(uris.map((uri) => URL.parse(uri)?.host ?? '')),
];

/** A name fit for display: one line, at most 64 characters, no control or direction characters. */
function readable(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return plain.slice(0, 64).toWellFormed() || 'Unnamed application';
}

const refusal = (error: string, description: string) => ({
  error,
  error_description: description,
});
