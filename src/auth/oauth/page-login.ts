import type { Request, Response } from 'express';
import { z } from 'zod';

import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError, NotAuthenticated, PasswordChangeRequired } from '../../kernel/errors.ts';
import { ChangePassword, changePassword } from '../login/change-password.ts';
import { checkPassword, Password } from '../login/login.ts';
import { AskSalt } from '../login/salt.ts';
import { type Filled, loginPage, passwordPage } from './pages.ts';
import { accountIdOf } from './store/account.ts';
import { sourceAt } from './store/body.ts';
import { send, type Visit } from './visit.ts';

const WRONG = 'Tenant, login or password is wrong.';

const Typed = z.object({
  tenant: z.string().catch(''),
  login: z.string().catch(''),
  password: z.string().catch(''),
  new_password: z.string().catch(''),
  repeated: z.string().catch(''),
});

/** Caller of a login form before the password is checked: only the source is known. */
const somebody = (response: Response): Caller => ({
  tenantId: '0',
  principalId: '0',
  principalType: 'USER',
  name: '',
  via: 'system',
  source: sourceAt(response),
  permissions: new Set(),
});

const Login = AskSalt.extend({ password: Password });

/** The login form: the same checks, throttle and forced change as a login over the API. */
export async function logIn(app: App, visit: Visit, request: Request, response: Response) {
  const { tenant, login, password } = Typed.parse(request.body);
  const filled = { tenant: tenant.slice(0, 32), login: login.slice(0, 32) };
  try {
    const input = Login.safeParse({ tenant: tenant.trim(), name: login, password });
    if (!input.success) throw new NotAuthenticated();
    await enter(app, visit, input.data, request, response);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error instanceof PasswordChangeRequired) {
      send(visit, response, 200, passwordPage(visit.form, filled));
      return;
    }
    refuse(visit, response, error, (text) =>
      loginPage(visit.form, visit.asking, { ...filled, error: text }),
    );
  }
}

/** The form for a password that must be changed first; a successful change also logs in. */
export async function changeAndLogIn(
  app: App,
  visit: Visit,
  request: Request,
  response: Response,
): Promise<void> {
  const typed = Typed.parse(request.body);
  const filled: Filled = { tenant: typed.tenant.slice(0, 32), login: typed.login.slice(0, 32) };
  const again = (text: string) => passwordPage(visit.form, { ...filled, error: text });
  if (typed.new_password !== typed.repeated) {
    send(visit, response, 422, again('The two new passwords differ.'));
    return;
  }
  try {
    const input = ChangePassword.safeParse({
      tenant: typed.tenant.trim(),
      name: typed.login,
      password: typed.password,
      newPassword: typed.new_password,
    });
    if (!input.success) throw new NotAuthenticated();
    await changePassword(app, somebody(response), input.data);
    const { tenant, name, newPassword } = input.data;
    await enter(app, visit, { tenant, name, password: newPassword }, request, response);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    refuse(visit, response, error, again);
  }
}

/** Checks the password and resumes the authorization request. */
async function enter(
  app: App,
  { provider, details, clientTenant }: Visit,
  input: z.output<typeof Login>,
  request: Request,
  response: Response,
): Promise<void> {
  const person = await checkPassword(app, somebody(response), { ...input, salt: null });
  // A client of another tenant: answered like a wrong password.
  if (clientTenant !== null && clientTenant !== person.tenantId) throw new NotAuthenticated();
  const accountId = accountIdOf(person);
  if (details.session && details.session.accountId !== accountId) {
    // Another user in the same browser: the earlier login ends.
    await (await provider.Session.findByUid(details.session.uid))?.destroy();
    delete details.session;
    await details.persist();
  }
  await provider.interactionFinished(
    request,
    response,
    // Fractional seconds, to order a login and a logout within the same second.
    { login: { accountId, ts: person.issuedMs / 1_000, remember: false } },
    { mergeWithLastSubmission: false },
  );
}

function refuse(
  visit: Visit,
  response: Response,
  error: AppError,
  render: (text: string) => string,
): void {
  const wait = error.detail?.['retryAfterSeconds'];
  if (typeof wait === 'number') response.set('Retry-After', String(wait));
  const text =
    error instanceof NotAuthenticated
      ? WRONG
      : typeof wait === 'number'
        ? `Too many failed attempts. Try again in ${wait} seconds.`
        : `${error.message}.`;
  send(visit, response, error.status, render(text));
}
