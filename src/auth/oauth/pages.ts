import { type Audience, AUDIENCE_WORDS } from '../permission/audience.ts';
import { type Scope, SCOPE_WORDS } from '../permission/scope.ts';
import { html, type Markup, page } from './page.ts';

/** The client that asks for access, as the pages show it. */
export type Asking = {
  clientName: string;
  /** Where the answer goes in the browser; null for a program without one, which fetches it. */
  redirectHost: string | null;
  /** The network address that a program without a browser asked from. */
  askedFrom: string | null;
  /** The code goes to a program on this computer. */
  isLocal: boolean;
  /** The client registered itself: its name is unverified. */
  isUnknown: boolean;
  /** The host whose document describes the client. */
  publisher: string | null;
  scopes: readonly Scope[];
  audience: Audience;
};

/** Value that a checked box sends. */
export const CHOSEN = 'yes';

/** Path that the forms of a page post to, and the proof that the page sent them. */
export type FormOf = { path: string; proof: string };

const field = (name: string, label: string, type: string, value: string, rest: Markup): Markup =>
  html`<label for="${name}">${label}</label>
    <input id="${name}" name="${name}" type="${type}" value="${value}" required ${rest} />`;

const proof = ({ proof: value }: FormOf): Markup =>
  html`<input type="hidden" name="proof" value="${value}" />`;

const complaint = (text: string | null): Markup =>
  text === null ? html`` : html`<p class="error" role="alert">${text}</p>`;

const nameFields = (tenant: string, login: string): Markup =>
  html`${field('tenant', 'Tenant', 'text', tenant, html`maxlength="32" autocomplete="organization" autocapitalize="none" spellcheck="false"`)}
  ${field('login', 'Login', 'text', login, html`maxlength="32" autocomplete="username" autocapitalize="none" spellcheck="false"`)}`;

export function loginPage(
  form: FormOf,
  asking: Asking,
  { tenant = 'default', login = '', error = null }: Filled = {},
): string {
  return page(
    'Log in',
    html`<p>
        to let <strong>${asking.clientName}</strong> (<strong>${placeOf(asking)}</strong>) work with
        the platform. It asks to:
      </p>
      ${scopeList(asking)} ${complaint(error)}
      <form method="post" action="${form.path}/login">
        ${proof(form)} ${nameFields(tenant, login)}
        ${field('password', 'Password', 'password', '', html`maxlength="1024" autocomplete="current-password"`)}
        <div class="buttons">
          <button class="main" type="submit">Log in</button>
        </div>
      </form>
      <form method="post" action="${form.path}/deny">
        ${proof(form)}
        <div class="buttons"><button type="submit">Cancel</button></div>
      </form>
      <p class="note">Your password stays here; the application never sees it.</p>`,
  );
}

export type Filled = { tenant?: string; login?: string; error?: string | null };

export function passwordPage(
  form: FormOf,
  { tenant = '', login = '', error = null }: Filled,
): string {
  return page(
    'Change your password',
    html`<p>This login may be used once the password has been changed.</p>
      ${complaint(error)}
      <form method="post" action="${form.path}/password">
        ${proof(form)} ${nameFields(tenant, login)}
        ${field('password', 'Current password', 'password', '', html`maxlength="1024" autocomplete="current-password"`)}
        ${field('new_password', 'New password', 'password', '', html`maxlength="1024" autocomplete="new-password"`)}
        ${field('repeated', 'New password again', 'password', '', html`maxlength="1024" autocomplete="new-password"`)}
        <div class="buttons">
          <button class="main" type="submit">Change and log in</button>
        </div>
      </form>`,
  );
}

export function consentPage(
  form: FormOf,
  asking: Asking,
  who: { tenant: string; login: string; days: number },
  error: string | null = null,
): string {
  return page(
    `Allow ${asking.clientName}?`,
    html`<p>It asks to act in your name over ${AUDIENCE_WORDS[asking.audience]}.</p>
      ${complaint(error)}
      <dl>
        <dt>You are</dt>
        <dd>${who.login}</dd>
        <dt>Tenant</dt>
        <dd>${who.tenant}</dd>
        ${published(asking)}
        <dt>${asking.redirectHost === null ? 'Asked from' : 'Answer goes to'}</dt>
        <dd>${placeOf(asking)}</dd>
        <dt>Lasts</dt>
        <dd>${who.days} days, or until you log out</dd>
      </dl>
      ${warning(asking)}
      <form method="post" action="${form.path}/consent">
        ${proof(form)}
        <fieldset>
          <legend>It may, as far as you leave it checked:</legend>
          ${asking.scopes.map(choice)}
        </fieldset>
        <div class="buttons">
          <button type="submit" name="decision" value="deny">Deny</button>
          <button class="main" type="submit" name="decision" value="allow">Allow</button>
        </div>
      </form>
      <p class="note">
        It gets no right that you do not have, and can never confirm a change: that takes a person
        on their own login.
      </p>`,
  );
}

export const errorPage = (title: string, text: string): string => page(title, html`<p>${text}</p>`);

/** Checkbox of a scope, named by the scope. */
const choice = (scope: Scope): Markup =>
  html`<label class="choice"
    ><input type="checkbox" name="${scope}" value="${CHOSEN}" checked />
    <span>${SCOPE_WORDS[scope]} <small>${scope}</small></span></label
  >`;

const scopeList = ({ scopes }: Asking): Markup =>
  html`<ul>
    ${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}
  </ul>`;

const published = ({ publisher }: Asking): Markup =>
  publisher === null
    ? html``
    : html`<dt>Application of</dt>
        <dd>${publisher}</dd>`;

const placeOf = ({ redirectHost, askedFrom }: Asking): string => redirectHost ?? askedFrom ?? '';

/** What a person has to know that was sent a code by somebody else (RFC 8628 5.4). */
export const NOT_YOURS =
  'Do not continue unless you started this: the program would act in your name. Never enter a code that you were sent.';

function warning({ isLocal, isUnknown, askedFrom }: Asking): Markup {
  if (!isLocal && !isUnknown && askedFrom === null) return html``;
  return html`<p class="warn">
    ${isUnknown ? 'The application chose its name itself; the platform has not verified it. ' : ''}${
      askedFrom !== null
        ? NOT_YOURS
        : isLocal
          ? 'It runs on this computer. Allow it only if you have just started it.'
          : 'Allow it only if you have just come from there.'
    }
  </p>`;
}
