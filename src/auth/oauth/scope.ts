import type { App, Scope } from '../../app.ts';

export type { Scope } from '../../app.ts';

/** Every scope there is, in the order in which people are asked for them. */
export const SCOPES = [
  'svc:read',
  'svc:read-device',
  'svc:propose',
  'svc:chat',
] as const satisfies readonly Scope[];
/** What a client gets that registers, or asks, without naming scopes: the least. */
export const DEFAULT_SCOPE = 'svc:read';

/** The scopes in words, for the person who is asked. */
export const SCOPE_WORDS: Record<Scope, string> = {
  'svc:read': 'See the devices, points and values that you may see',
  'svc:read-device': 'Ask devices for fresh values, which talks to the device',
  'svc:propose': 'Propose writes and other changes; each one waits until a person confirms it here',
  'svc:chat': 'Chat with the assistant in your name',
};

export const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** The one resource tokens are made for (RFC 8707), without a trailing slash. */
export const resourceOf = (app: App): string => `${app.config.baseUrl}/mcp`;

/** How clients write the resource: some add a slash. */
export const spellingsOf = (app: App): readonly string[] => [
  resourceOf(app),
  `${resourceOf(app)}/`,
];
