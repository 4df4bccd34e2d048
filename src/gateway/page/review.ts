import { type Response, Router } from 'express';

import * as action from '../../agentic/action/action.ts';
import type { App } from '../../app.ts';
import { pageHeaders } from '../../auth/oauth/page/page.ts';
import { errorPage } from '../../auth/oauth/page/pages.ts';
import { personHere } from '../../auth/oauth/page/session.ts';
import { LOGIN_PATH } from '../../auth/oauth/paths.ts';
import { demand } from '../../auth/rights/permission.ts';
import { onPresentFacts } from '../../auth/token/present.ts';
import { Forbidden, NotAuthenticated, NotFound } from '../../core/errors.ts';
import { reviewPage } from './review-page.ts';

/** `/console/review/{actionId}`: a proposal behind the session of the login page. Shows only; decides nothing. */
export function review(app: App): Router {
  const router = Router({ caseSensitive: true, strict: true });
  return router.get('/console/review/:actionId', async (request, response) => {
    const { data } = action.ByActionId.safeParse(request.params);
    // Before the login: whether the action exists does not count yet.
    if (!data) return gone(response);
    const here = async () => {
      const person = await personHere(app, request, response);
      if (!person) throw new NotAuthenticated();
      return person;
    };
    try {
      const view = await onPresentFacts(app, await here(), here, (caller) => {
        demand(caller, 'svc-center-agentic:action:get');
        return action.byId(app, caller, data);
      });
      show(response, 200, reviewPage(view, app.config.baseUrl));
    } catch (error) {
      if (error instanceof NotAuthenticated) {
        const to = encodeURIComponent(`/console/review/${data.actionId}`);
        response.redirect(303, `${LOGIN_PATH}?to=${to}`);
      } else if (error instanceof NotFound) gone(response);
      else if (error instanceof Forbidden)
        show(response, 403, errorPage('This login may not see it', 'It lacks the permission.'));
      else throw error;
    }
  });
}

const gone = (response: Response): void =>
  show(response, 404, errorPage('There is no such proposal', 'It is not one of your tenant.'));

const show = (response: Response, status: number, page: string): void => {
  response.status(status).set(pageHeaders()).send(page);
};
