import type { Scope } from '../../kernel/app/app.ts';

export type { Scope } from '../../kernel/app/app.ts';

/** All scopes, in the order of the consent page. */
export const SCOPES = [
  'svc:read',
  'svc:read-device',
  'svc:propose',
  'svc:chat',
] as const satisfies readonly Scope[];
/** Scope of clients that register, or ask, without naming any: the least. */
export const DEFAULT_SCOPE = 'svc:read';

/** What each scope allows, as the consent page shows it. */
export const SCOPE_WORDS: Record<Scope, string> = {
  'svc:read':
    'See the devices, points, values, alarms and commands that you may see; no accounts, no keys',
  'svc:read-device': 'Ask devices for fresh values, which talks to the device and changes nothing',
  'svc:propose':
    'Propose writes to devices and withdraw what it proposed; each write waits until a person confirms it',
  'svc:chat':
    'Chat with the assistant in your name; see, rename and delete your conversations and add files',
};

export const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);
