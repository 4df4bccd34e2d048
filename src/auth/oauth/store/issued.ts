import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

import type { App } from '../../../kernel/app/app.ts';
import { storable } from '../../../kernel/input/text.ts';
import { sourceNow } from '../../../kernel/request/called-from.ts';
import { queueAudit } from '../../audit/background.ts';
import { noteRefusal } from '../../audit/refusal.ts';
import { personOf } from './account.ts';

const MAX_ID = 128;

/** Keeps an audit row of each token that a client gets, and of each client that could not show that it is one. */
export function recordTokens(app: App, provider: Provider): void {
  provider.on('grant.success', (ctx) => issued(app, ctx));
  provider.on('grant.error', (ctx, error) => refused(app, ctx, error));
  provider.on('introspection.error', (ctx, error) => refused(app, ctx, error));
  provider.on('revocation.error', (ctx, error) => refused(app, ctx, error));
}

function issued(app: App, { oidc }: KoaContextWithOIDC): void {
  const { client, entities, params } = oidc;
  const grantType = textIn(params?.['grant_type']);
  // A refresh goes on with what was given before.
  if (!client || grantType === 'refresh_token') return;
  const person = personOf(entities.AccessToken?.accountId ?? '');
  queueAudit(app, {
    who: person === undefined ? null : { ...person, principalType: 'USER' },
    credential: client.clientId,
    action: 'CREATE',
    resourceType: 'OAUTH_TOKEN',
    resourceName: client.clientId,
    status: 'SUCCESS',
    errorCode: '',
    detail: { door: 'oauth', grantType, scope: textIn(params?.['scope']) },
    source: sourceNow() ?? '',
    at: app.clock.now(),
  });
}

function refused(app: App, ctx: KoaContextWithOIDC, error: Error): void {
  const { oidc, path } = ctx;
  if (error.name !== 'InvalidClient' && error.name !== 'InvalidClientAuth') return;
  const clientId =
    oidc?.client?.clientId ??
    (textIn(oidc?.params?.['client_id']) || basicId(ctx.get('authorization')));
  noteRefusal(app, {
    door: 'oauth',
    who: null,
    credential: clientId,
    source: sourceNow() ?? '',
    resourceType: 'OAUTH_CLIENT',
    resourceName: clientId,
    errorCode: 'R401',
    reason: error.message,
    detail: { path },
  });
}

/** The client that a request names in HTTP's own way (RFC 6749 2.3.1). */
function basicId(header: string): string {
  const [, encoded = ''] = /^Basic ([\w+/=]{1,4096})$/i.exec(header) ?? [];
  const [id] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  return textIn(id);
}

const textIn = (given: unknown): string =>
  typeof given === 'string' ? storable(given.slice(0, MAX_ID)) : '';
