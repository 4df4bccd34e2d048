import { z } from 'zod';

const TIMEOUT_MS = 20_000;
const MAX_STEPS = 12;

export type Page = {
  status: number;
  url: string;
  headers: Headers;
  text: string;
  /** Action and fields of each form, as a person would find them. */
  forms: { action: string; fields: Record<string, string>; buttons: Record<string, string>[] }[];
};

/** As much of a browser as our pages need: cookies, redirects within the platform, plain forms. */
export class Browser {
  readonly #base: string;
  readonly #jar = new Map<string, { value: string; path: string }>();
  /** Every Set-Cookie seen, to look at its attributes. */
  readonly seen: string[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  /** Opens a page; a redirect to another origin is not followed but is the page's `url`. */
  get(url: string | URL): Promise<Page> {
    return this.#go(new URL(url, this.#base));
  }

  /** Sends a form of a page, its hidden fields included. */
  submit(page: Page, action: RegExp, filled: Record<string, string> = {}): Promise<Page> {
    const form = page.forms.find((one) => action.test(one.action));
    if (!form) throw new Error(`no form ${action} on ${page.status} ${page.url}: ${page.text}`);
    return this.post(new URL(form.action, page.url), { ...form.fields, ...filled });
  }

  post(
    url: string | URL,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.#go(new URL(url, this.#base), new URLSearchParams(fields), headers);
  }

  async #go(start: URL, form?: URLSearchParams, headers: Record<string, string> = {}) {
    let url = start;
    let body = form;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const answer = await fetch(url, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.#cookies(url), ...headers },
        ...(body ? { body } : {}),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      this.#keep(answer, url);
      const location = answer.headers.get('location');
      const next = location === null ? null : new URL(location, url);
      if (next?.origin === new URL(this.#base).origin && answer.status >= 300) {
        url = next;
        body = undefined;
        continue;
      }
      const text = await answer.text();
      return {
        status: answer.status,
        url: (next ?? url).href,
        headers: answer.headers,
        text,
        forms: formsOf(text),
      };
    }
    throw new Error(`redirected without end at ${url.href}`);
  }

  #cookies(url: URL): string {
    return [...this.#jar]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keep(answer: Response, url: URL): void {
    for (const cookie of answer.headers.getSetCookie()) {
      this.seen.push(cookie);
      const [pair = '', ...attributes] = cookie.split(/; */);
      const [name = '', value = ''] = pair.split('=', 2);
      const attribute = (wanted: string) =>
        attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.split('=')[1];
      const isOver = new Date(attribute('expires') ?? '9999-01-01').getTime() < 86_400_000;
      if (value === '' || isOver) this.#jar.delete(name);
      else this.#jar.set(name, { value, path: attribute('path') ?? url.pathname });
    }
  }
}

const decode = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decode(value),
    ]),
  );

function formsOf(text: string): Page['forms'] {
  return [...text.matchAll(/<form\b[\s\S]*?<\/form>/g)].map(([form]) => {
    const tags = (name: string) =>
      [...form.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'g'))].map(([tag]) => attributesOf(tag));
    const inputs = tags('input');
    return {
      action: z.string().parse(tags('form')[0]?.['action']),
      fields: Object.fromEntries(inputs.map(({ name = '', value = '' }) => [name, value])),
      buttons: tags('button'),
    };
  });
}
