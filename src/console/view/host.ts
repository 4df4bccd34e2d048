import type {
  McpUiInitializeRequest,
  McpUiOpenLinkRequest,
  McpUiSizeChangedNotification,
} from '@modelcontextprotocol/ext-apps';
import { signal } from '@preact/signals';

import { language } from '../app/word/words.ts';
import { type Channel, openChannel } from './channel.ts';
import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from './fields.ts';

const REVISION = '2026-01-26';
/** Characters of a refusal. */
const MAX_WORDS = 500;

/**
 * The answer of a tool: its `fields`, what it has for views alone, and its words where it failed. Not every host hands on
 * what is for views.
 */
export type Answer = { isError: boolean; fields: Fields; forView: Fields; text: string };

export type Host = {
  canCall: boolean;
  canOpen: boolean;
  /** Calls a tool of this server; a call that cannot be made answers as one that failed. */
  call(name: string, input: Fields): Promise<Answer>;
  /** False when the host did not open it. */
  open(url: string): Promise<boolean>;
};

/** What a view does with what its host sends. */
export type View = {
  asked?(input: Fields): void;
  answered(answer: Answer): void;
  cancelled(): void;
  ended?(): void;
};

/** Begins the exchange of MCP Apps with the host, and lets `open` make the view once the host has answered. */
export async function begin(name: string, open: (host: Host) => View): Promise<void> {
  let view: View | undefined;
  const listeners: Record<string, (params: Fields) => void> = {
    'ui/notifications/tool-input': (params) => view?.asked?.(fieldsOf(params['arguments'])),
    'ui/notifications/tool-result': (params) => view?.answered(answerOf(params)),
    'ui/notifications/tool-cancelled': () => view?.cancelled(),
    'ui/notifications/host-context-changed': applyContext,
  };
  const channel = openChannel({
    heard: (method, params) => {
      if (Object.hasOwn(listeners, method)) listeners[method]?.(params);
    },
    asked(method) {
      if (method === 'ui/resource-teardown') view?.ended?.();
      return method === 'ui/resource-teardown' || method === 'ping' ? {} : undefined;
    },
  });
  const init = {
    protocolVersion: REVISION,
    appInfo: { name: `svc-${name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  } satisfies McpUiInitializeRequest['params'];
  const { hostCapabilities, hostContext } = await channel.request('ui/initialize', init);
  applyContext(fieldsOf(hostContext));
  view = open(hostWith(channel, fieldsOf(hostCapabilities)));
  channel.notify('ui/notifications/initialized', {});
  tellSize(channel);
}

const hostWith = (channel: Channel, { serverTools, openLinks }: Fields): Host => ({
  canCall: isFields(serverTools),
  canOpen: isFields(openLinks),
  call: (name, input) =>
    channel
      .request('tools/call', { name, arguments: input })
      .then(answerOf)
      .catch((error: unknown) => ({
        isError: true,
        fields: {},
        forView: {},
        text: wordsOf(error),
      })),
  open: (url) =>
    channel
      .request('ui/open-link', { url } satisfies McpUiOpenLinkRequest['params'])
      .then(({ isError }) => isError !== true)
      .catch(() => false),
});

function answerOf({ isError, structuredContent, content, _meta: meta }: Fields): Answer {
  const texts = listOf(content).map((part) => textOf(part, 'text'));
  return {
    isError: isError === true,
    // Some hosts hand on the text alone, which says the same.
    fields: isFields(structuredContent) ? structuredContent : written(texts[0] ?? ''),
    forView: fieldsOf(fieldsOf(meta)['svc/view']),
    text: texts.join(' ').slice(0, MAX_WORDS),
  };
}

function written(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The host refused';

/** The height alone: the width is the host's. */
function tellSize(channel: Channel): void {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    const size = { height } satisfies McpUiSizeChangedNotification['params'];
    channel.notify('ui/notifications/size-changed', size);
  }).observe(document.documentElement);
}

const MAX_FONT = 300;

/** Light or dark, as the host has it; empty where it does not say. */
export const theme = signal('');

/**
 * Follows the host in what is its own: light or dark, language, the edges of its screen, and its font if that is installed. The
 * colours stay ours, as their contrast is tested; fonts that would be loaded are left alone, as a view loads nothing.
 */
function applyContext(context: Fields): void {
  const root = document.documentElement;
  const { theme: given } = context;
  if (given === 'light' || given === 'dark') theme.value = root.style.colorScheme = given;
  const locale = textOf(context, 'locale');
  if (locale !== '') {
    language.value = locale.startsWith('zh') ? 'zh' : 'en';
    root.lang = locale;
  }
  const { safeAreaInsets: insets } = context;
  if (isFields(insets))
    document.body.style.padding = ['top', 'right', 'bottom', 'left']
      .map((side) => `${numberOf(insets, side) ?? 0}px`)
      .join(' ');
  const font = textOf(fieldsOf(fieldsOf(context['styles'])['variables']), '--font-sans');
  if (font !== '' && font.length <= MAX_FONT) root.style.setProperty('--font', font);
}
