import type { Scope } from '../../app.ts';

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

/** What each scope opens, in words, for the person who is asked. */
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
