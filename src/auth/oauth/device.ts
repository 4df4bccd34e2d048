import { createHash } from 'node:crypto';

import type { RequestHandler } from 'express';
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { AppError, TooManyRequests } from '../../kernel/errors.ts';
import { sourceNow } from '../../kernel/request/called-from.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { noteRefusal } from '../audit/refusal.ts';
import { SourceLimit } from '../login/window.ts';
import { completeDeviceRequest, completeRefresh } from './authorize-request.ts';
import { allowedPage, codePage, programPage } from './device-pages.ts';
import { pageHeaders } from './page.ts';
import { errorPage } from './pages.ts';
import { sourceAt } from './store/body.ts';
import { documentHost } from './store/client-document.ts';
import { PATHS } from './store/paths.ts';
import { DEVICE_GRANT, isDocumentId, isDynamic } from './store/registration.ts';

/** Logins that programs begin, and codes that people enter, within a minute. */
const BEGUN = { source: 30, all: 600, free: 5 };
const ENTERED = { source: 20, all: 300, free: 5 };
const BEGUN_LIMIT = slot((clock) => new SourceLimit(clock, BEGUN));
const ENTERED_LIMIT = slot((clock) => new SourceLimit(clock, ENTERED));

/** Seconds between two questions of a program; RFC 8628 3.2. */
export const INTERVAL_S = 5;
/** Timers of programs are not exact. */
const PACE_MS = INTERVAL_S * 1_000 - 500;
const ASKED = slot((clock) => new TtlCache<true>(clock, PACE_MS, 4_000));

/**
 * A form as the library expects it. Throws TooManyRequests for logins that a source begins too often, and slow_down for
 * a program that asks whether its login is done before its interval is over (RFC 8628 3.5).
 */
export function preparedForm(app: App, path: string, source: string, form: Buffer): Buffer {
  if (path === PATHS.device_authorization) {
    const waitSeconds = app.of(BEGUN_LIMIT).take(source);
    if (waitSeconds > 0) throw new TooManyRequests('Too many logins were begun', waitSeconds);
    return completeDeviceRequest(app, form);
  }
  if (path === PATHS.token) keepPace(app, new URLSearchParams(form.toString()));
  return completeRefresh(form);
}

function keepPace(app: App, fields: URLSearchParams): void {
  const code = fields.get('device_code');
  if (fields.get('grant_type') !== DEVICE_GRANT || code === null) return;
  const asked = app.of(ASKED);
  const key = createHash('sha256').update(code).digest('base64url');
  const isEarly = asked.get(key) === true;
  asked.set(key, true);
  if (!isEarly) return;
  const text = `Ask again in ${INTERVAL_S} seconds, and ${INTERVAL_S} seconds less often`;
  throw new AppError(400, 'R400', text, { detail: { error: 'slow_down' } });
}

/** Bounds the codes that are tried from a source; codes are short. */
export const countEntered =
  (app: App): RequestHandler =>
  (_request, response, next) => {
    const waitSeconds = app.of(ENTERED_LIMIT).take(sourceAt(response));
    if (waitSeconds === 0) return next();
    const text = `Try again in ${waitSeconds} seconds.`;
    response.status(429).set({ ...pageHeaders(), 'Retry-After': String(waitSeconds) });
    response.send(errorPage('Too many codes were entered', text));
  };

/** The code of the address under a name that the library does not answer with a form that sends itself. */
export const codeOfAddress: RequestHandler = (request, _response, next) => {
  const code = new URL(request.url, 'http://localhost').searchParams.get('user_code') ?? '';
  const fields = new URLSearchParams({ code: code.slice(0, 32) });
  request.url = `${PATHS.code_verification}?${fields.toString()}`;
  next();
};

/**
 * Sends a browser without a session to the page of the code: the library could not show it what is wrong.
 */
export const deviceSession =
  (provider: Provider) =>
  async (ctx: Parameters<typeof provider.Session.get>[0], next: () => Promise<void>) => {
    const { code_verification: page } = PATHS;
    const isPage = ctx.path === page || ctx.path.startsWith(`${page}/`);
    const isFirst = ctx.method === 'GET' && ctx.path === page;
    if (!isPage || isFirst) return next();
    const session = await provider.Session.get(ctx);
    if (session.exp !== undefined) return next();
    ctx.redirect(page);
    ctx.status = 303;
  };

const DeviceInfo = z.object({ source: z.string() });

/** The network address in what was kept of a device authorization request. */
export const sourceIn = (deviceInfo: unknown): string =>
  DeviceInfo.safeParse(deviceInfo).data?.source ?? '';

/** What the page says of a code that it does not take. */
const REFUSED: Record<string, string> = {
  NoCodeError: 'Enter the code that the program shows.',
  NotFoundError:
    'There is no such code. Look at the program again; a code is over after 10 minutes.',
  ExpiredError: 'This code is over. Start the login again in the program.',
  AlreadyUsedError: 'This code was entered already. Start the login again in the program.',
};

/** Login of programs without a browser (RFC 8628), with pages of ours. */
export const deviceFlow = (app: App) =>
  ({
    enabled: true,
    mask: '****-****',
    deviceInfo: () => ({ source: sourceNow() ?? '' }),
    userCodeInputSource(ctx, _form, _out, error) {
      ctx.set(pageHeaders());
      if (error?.name === 'AbortedError') {
        ctx.body = errorPage(
          'It is not let in',
          'The program gets nothing. You can close this page.',
        );
        return;
      }
      if (error?.name === 'NotFoundError') noteWrong(app);
      if (error) ctx.status = 422;
      const text = error && (REFUSED[error.name] ?? 'That did not work. Enter the code again.');
      const given: unknown = error ? Reflect.get(error, 'userCode') : ctx.query['code'];
      ctx.body = codePage(xsrfOf(ctx), typeof given === 'string' ? given : '', text ?? null);
    },
    userCodeConfirmSource(ctx, _form, client, deviceInfo, userCode) {
      const { clientId } = client;
      const isDocument = isDocumentId(clientId);
      ctx.set(pageHeaders());
      ctx.body = programPage(xsrfOf(ctx), userCode, {
        name: client.clientName ?? clientId,
        publisher: isDocument ? documentHost(clientId) : null,
        askedFrom: sourceIn(deviceInfo),
        isUnknown: isDynamic(clientId) && !isDocument,
      });
    },
    successSource(ctx) {
      const { client } = ctx.oidc;
      ctx.set(pageHeaders());
      ctx.body = allowedPage(client?.clientName ?? client?.clientId ?? 'The program');
    },
  }) satisfies NonNullable<Configuration['features']>['deviceFlow'];

const State = z.object({ secret: z.string() });

const xsrfOf = ({ oidc }: KoaContextWithOIDC): string =>
  State.safeParse(oidc.session?.state).data?.secret ?? '';

const noteWrong = (app: App): void =>
  noteRefusal(app, {
    door: 'oauth',
    who: null,
    credential: '',
    source: sourceNow() ?? '',
    resourceType: 'OAUTH_CLIENT',
    resourceName: '',
    errorCode: 'R401',
    reason: 'no open login has this code',
    detail: { path: PATHS.code_verification },
  });
