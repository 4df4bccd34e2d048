import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { cookieKey } from '../credential/signing-key.ts';
import { addressAsked, audienceOf } from '../permission/audience.ts';
import { isLoopback } from '../permission/redirect-uri.ts';
import { isScope } from '../permission/scope.ts';
import { sourceIn } from './device.ts';
import { pageHeaders } from './page.ts';
import type { Asking, FormOf } from './pages.ts';
import { providerOf } from './provider.ts';
import { documentHost } from './store/client-document.ts';
import { tenantOf } from './store/client-metadata.ts';
import { PAGE_PATH } from './store/paths.ts';
import { isDocumentId, isDynamic } from './store/registration.ts';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** One authorization request, as a user visits its pages. */
export type Visit = {
  provider: Provider;
  details: Details;
  clientId: string;
  /** The tenant the client is limited to; null for all tenants. */
  clientTenant: string | null;
  redirectUri: string | undefined;
  asking: Asking;
  form: FormOf;
};

/** The request has expired, or it is not the one of this browser. */
export class VisitEnded extends Error {
  override readonly name = 'VisitOver';
}

const Params = z.object({
  client_id: z.string(),
  /** None of a program without a browser. */
  redirect_uri: z.string().optional(),
  scope: z.string(),
  resource: z.union([z.string(), z.array(z.string())]),
});

/** The visit that cookie and URL agree on; throws VisitEnded. */
export async function openVisit(app: App, request: Request, response: Response): Promise<Visit> {
  const provider = await providerOf(app, addressAsked(app, request));
  const details = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'SessionNotFound') throw new VisitEnded();
    throw error;
  });
  if (details.uid !== request.params['uid']) throw new VisitEnded();
  const params = Params.parse(details.params);
  const client = await provider.Client.find(params.client_id);
  if (!client) throw new VisitEnded();
  const redirectUri = params.redirect_uri;
  const askedFrom = await askedFromOf(provider, details.deviceCode);
  const audience = audienceOf(app, [params.resource].flat());
  if (!audience) throw new VisitEnded();
  return {
    provider,
    details,
    clientId: client.clientId,
    clientTenant: tenantOf(client),
    redirectUri,
    asking: {
      clientName: client.clientName ?? client.clientId,
      redirectHost: redirectUri === undefined ? null : new URL(redirectUri).host,
      askedFrom,
      isLocal: redirectUri !== undefined && isLoopback(redirectUri),
      isUnknown: isDynamic(client.clientId) && !isDocumentId(client.clientId),
      publisher: isDocumentId(client.clientId) ? documentHost(client.clientId) : null,
      scopes: params.scope.split(' ').filter(isScope),
      audience,
    },
    form: { path: `${PAGE_PATH}/${details.uid}`, proof: proofOf(app, details.uid) },
  };
}

/** Where a program without a browser asked from; null for one that gets its answer in the browser. */
async function askedFromOf(provider: Provider, deviceCode: string | undefined) {
  if (deviceCode === undefined) return null;
  const code = await provider.DeviceCode.find(deviceCode);
  if (!code) throw new VisitEnded();
  return sourceIn(code.deviceInfo);
}

/** Proof that a form is from a page of this visit: other sites cannot compute it. */
function proofOf(app: App, uid: string): string {
  return createHmac('sha256', cookieKey(app)).update(`form ${uid}`).digest('base64url');
}

/** Whether our own page of this visit sent the form. */
export function isOwnForm(request: Request, { form }: Visit): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const body = z.object({ proof: z.string() }).safeParse(request.body);
  const given = Buffer.from(body.data?.proof ?? '');
  const expected = Buffer.from(form.proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export function send(
  { redirectUri }: Pick<Visit, 'redirectUri'>,
  response: Response,
  status: number,
  page: string,
): void {
  response.status(status).set(pageHeaders(redirectUri)).send(page);
}
