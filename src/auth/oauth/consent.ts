import type { Request, Response } from 'express';
import { z } from 'zod';

import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { audit } from '../audit/audit.ts';
import { spellingsOf } from '../permission/audience.ts';
import { GRANT_DAYS } from './lifetime.ts';
import { CHOSEN, consentPage } from './pages.ts';
import { type Account, findAccount } from './store/account.ts';
import { keepDynamicClient } from './store/registration.ts';
import { send, type Visit, VisitEnded } from './visit.ts';

const Decision = z.object({ decision: z.literal('allow') });

export async function showConsent(app: App, visit: Visit, response: Response): Promise<void> {
  const account = await accountOf(app, visit);
  send(visit, response, 200, consentPage(visit.form, visit.asking, whoIs(account)));
}

const whoIs = ({ tenantCode, loginName }: Account) => ({
  tenant: tenantCode,
  login: loginName,
  days: GRANT_DAYS,
});

/** The consent form: `allow` grants the checked scopes, and needs at least one; all else denies. */
export async function decide(app: App, visit: Visit, request: Request, response: Response) {
  if (!Decision.safeParse(request.body).success) return deny(app, visit, request, response);
  const account = await accountOf(app, visit);
  const { provider, clientId, asking } = visit;
  const body = z.record(z.string(), z.unknown()).parse(request.body);
  const chosen = asking.scopes.filter((scope) => body[scope] === CHOSEN);
  if (chosen.length === 0) {
    const text = 'Leave at least one box checked, or deny.';
    send(visit, response, 422, consentPage(visit.form, asking, whoIs(account), text));
    return;
  }
  // Always a new grant: it covers only what this page showed, and its lifetime starts now.
  const grant = new provider.Grant({ accountId: account.accountId, clientId });
  const refused = asking.scopes.filter((scope) => !chosen.includes(scope));
  grant.addOIDCScope(chosen);
  // Recorded as rejected, or the page would ask for them again.
  grant.rejectOIDCScope(refused);
  const named = z.array(z.string()).catch([]).parse(visit.details.params['resource']);
  for (const resource of new Set([...spellingsOf(app, asking.audience), ...named])) {
    grant.addResourceScope(resource, chosen);
    grant.rejectResourceScope(resource, refused);
  }
  const grantId = await grant.save();
  await acrossTenants(app.db, 'oauth', (q) => keepDynamicClient(app, q, clientId));
  await inTenant(app.db, account.tenantId, (q) =>
    audit(
      app,
      q,
      { ...account, principalType: 'USER' },
      {
        action: 'CREATE',
        resourceType: 'OAUTH_GRANT',
        resourceId: grantId,
        resourceName: asking.clientName,
        detail: {
          scopes: chosen,
          refused,
          audience: asking.audience,
          ...(asking.askedFrom !== null && { askedFrom: asking.askedFrom }),
        },
      },
    ),
  );
  await provider.interactionFinished(request, response, { consent: { grantId } });
}

/** Answers the client with access_denied (RFC 6749 4.1.2.1). */
export async function deny(
  _: App,
  { provider }: Visit,
  request: Request,
  response: Response,
): Promise<void> {
  await provider.interactionFinished(
    request,
    response,
    { error: 'access_denied', error_description: 'The person did not allow it' },
    { mergeWithLastSubmission: false },
  );
}

/** The account that decides; throws VisitEnded when it is logged out or no longer active. */
async function accountOf(app: App, { provider, details }: Visit): Promise<Account> {
  const { session } = details;
  const login = session && (await provider.Session.findByUid(session.uid));
  const account =
    login?.accountId === undefined || login.accountId !== session?.accountId
      ? undefined
      : await findAccount(app, login.accountId, {
          issuedMs: Math.round((login.loginTs ?? 0) * 1_000),
        });
  if (!account) throw new VisitEnded();
  return account;
}
