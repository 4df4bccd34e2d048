import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';

import type { App } from '../../kernel/app/app.ts';
import { decide, deny, showConsent } from './consent.ts';
import { changeAndLogIn, logIn } from './page-login.ts';
import { pageHeaders } from './page.ts';
import { errorPage, loginPage } from './pages.ts';
import { formOf } from './store/body.ts';
import { PAGE_PATH } from './store/paths.ts';
import { isOwnForm, openVisit, send, type Visit, VisitEnded } from './visit.ts';

type Act = (app: App, visit: Visit, request: Request, response: Response) => Promise<void>;

/** Forms by the prompt they answer; `deny` answers every prompt. */
const FORMS: Record<string, { prompt: string | null; act: Act }> = {
  login: { prompt: 'login', act: logIn },
  password: { prompt: 'login', act: changeAndLogIn },
  consent: { prompt: 'consent', act: decide },
  deny: { prompt: null, act: deny },
};

/** The login and consent pages of the authorization server: plain forms, no script. */
export function interactionRouter(app: App): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(`${PAGE_PATH}/:uid`, show(app));
  for (const [name, { prompt, act }] of Object.entries(FORMS)) {
    router.post(`${PAGE_PATH}/:uid/${name}`, submit(app, prompt, act));
  }
  return router.use(PAGE_PATH, refuse(app));
}

const show =
  (app: App): RequestHandler =>
  async (request, response) => {
    const visit = await openVisit(app, request, response);
    if (visit.details.prompt.name === 'consent') await showConsent(app, visit, response);
    else send(visit, response, 200, loginPage(visit.form, visit.asking));
  };

const submit =
  (app: App, prompt: string | null, act: Act): RequestHandler =>
  async (request, response) => {
    const visit = await openVisit(app, request, response);
    request.body = await formOf(app, request, response);
    if (!isOwnForm(request, visit)) {
      const text = 'It was not sent by this page. Go back to the application and start again.';
      send(visit, response, 403, errorPage('This form is not ours', text));
      return;
    }
    // Sent twice, or from an outdated page: show the current one.
    if (prompt !== null && visit.details.prompt.name !== prompt) {
      response.redirect(303, visit.form.path);
      return;
    }
    await act(app, visit, request, response);
  };

const refuse =
  (app: App): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
    const known = error instanceof VisitEnded || (status >= 400 && status < 500);
    if (!known) app.log.error({ error, path: request.path }, 'login page failed');
    const page = known
      ? errorPage('This page is over', 'Go back to the application and start again.')
      : errorPage('That did not work', 'Try again in a moment.');
    response
      .status(error instanceof VisitEnded ? 400 : known ? status : 500)
      .set(pageHeaders())
      .send(page);
  };
