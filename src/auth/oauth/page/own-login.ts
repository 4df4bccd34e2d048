import { timingSafeEqual } from 'node:crypto';

import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';

import type { App } from '../../../app.ts';
import { AppError, NotAuthenticated } from '../../../core/errors.ts';
import { checkPassword } from '../../login/login.ts';
import { LOGIN_PATH } from '../paths.ts';
import { Login, somebody, WRONG } from './page-login.ts';
import { pageHeaders } from './page.ts';
import { errorPage, type Filled, ownLoginPage } from './pages.ts';
import { beginSession, proofHere } from './session.ts';

/** Pages of the platform that a login may lead back to; no other address. */
const To = z.object({ to: z.string().regex(/^\/console\/review\/[0-9a-f-]{36}$/) });

const Typed = z.object({
  tenant: z.string().catch(''),
  login: z.string().catch(''),
  password: z.string().catch(''),
});

/** The login page for the platform's own pages: the checks, the throttle and the session of the one for clients. */
export function ownLoginRouter(app: App): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const read = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 16 });
  router.get(LOGIN_PATH, async (request, response) => {
    const asked = To.safeParse(request.query);
    if (asked.success) await form(app, request, response, 200, asked.data.to);
    else show(response, 404, errorPage('There is no such page', 'Look at the address again.'));
  });
  return router.post(LOGIN_PATH, read, async (request, response) => {
    const asked = To.safeParse(request.body);
    if (!asked.success || !(await isOwn(app, request, response))) {
      const text = 'It was not sent by this page. Open the page you want to see again.';
      show(response, 403, errorPage('This form is not ours', text));
      return;
    }
    await logIn(app, asked.data.to, request, response);
  });
}

/** Whether a page of this browser sent the form: another site could log its visitors in to another account. */
async function isOwn(app: App, request: Request, response: Response): Promise<boolean> {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const expected = Buffer.from((await proofHere(app, request, response, { fresh: false })) ?? '');
  const given = Buffer.from(Proof.safeParse(request.body).data?.proof ?? '');
  return (
    expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected)
  );
}

const Proof = z.object({ proof: z.string() });

async function form(
  app: App,
  request: Request,
  response: Response,
  status: number,
  to: string,
  filled: Filled = {},
): Promise<void> {
  const proof = (await proofHere(app, request, response, { fresh: true })) ?? '';
  show(response, status, ownLoginPage({ path: LOGIN_PATH, proof }, to, filled));
}

async function logIn(app: App, to: string, request: Request, response: Response): Promise<void> {
  const { tenant, login, password } = Typed.parse(request.body);
  try {
    const input = Login.safeParse({ tenant: tenant.trim(), name: login, password });
    if (!input.success) throw new NotAuthenticated();
    const person = await checkPassword(app, somebody(response), { ...input.data, salt: null });
    await beginSession(app, person, request, response);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const wait = error.detail?.['retryAfterSeconds'];
    if (typeof wait === 'number') response.set('Retry-After', String(wait));
    const text = error instanceof NotAuthenticated ? WRONG : `${error.message}.`;
    const filled = { tenant: tenant.slice(0, 32), login: login.slice(0, 32), error: text };
    await form(app, request, response, error.status, to, filled);
    return;
  }
  response.redirect(303, to);
}

const show = (response: Response, status: number, page: string): void => {
  response.status(status).set(pageHeaders()).send(page);
};
