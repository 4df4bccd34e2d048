import { html, type Markup, page } from './page.ts';
import { NOT_YOURS } from './pages.ts';
import { PATHS } from './store/paths.ts';

/** The form for the code that a program shows; `xsrf` proves that the page sent it. */
export const codePage = (xsrf: string, code: string, error: string | null): string =>
  page(
    'Enter the code',
    html`<p>A program without a browser shows it when you start its login.</p>
      ${error === null ? html`` : html`<p class="error" role="alert">${error}</p>`}
      <form method="post" action="${PATHS.code_verification}">
        ${hidden('xsrf', xsrf)}
        <label for="user_code">Code</label>
        <input
          id="user_code"
          name="user_code"
          type="text"
          value="${code}"
          required
          maxlength="32"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
        />
        <div class="buttons">
          <button class="main" type="submit">Continue</button>
        </div>
      </form>`,
  );

type Program = { name: string; publisher: string | null; askedFrom: string; isUnknown: boolean };

/** What asks with this code, before the login. */
export const programPage = (
  xsrf: string,
  code: string,
  { name, publisher, askedFrom, isUnknown }: Program,
): string =>
  page(
    `Is this ${name}?`,
    html`<p>It asks to act in your name. Continue only if it shows this code now.</p>
      <dl>
        <dt>Code</dt>
        <dd>${code}</dd>
        ${
          publisher === null
            ? html``
            : html`<dt>Application of</dt>
                <dd>${publisher}</dd>`
        }
        <dt>Asked from</dt>
        <dd>${askedFrom}</dd>
      </dl>
      <p class="warn">
        ${isUnknown ? 'The application chose its name itself; the platform has not verified it. ' : ''}${NOT_YOURS}
      </p>
      <form method="post" action="${PATHS.code_verification}">
        ${hidden('xsrf', xsrf)} ${hidden('user_code', code)}
        <div class="buttons">
          <button type="submit" name="abort" value="yes">It is not mine</button>
          <button class="main" type="submit" name="confirm" value="yes">Continue</button>
        </div>
      </form>`,
  );

export const allowedPage = (name: string): string =>
  page(`${name} is let in`, html`<p>It goes on by itself. You can close this page.</p>`);

const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}" />`;
