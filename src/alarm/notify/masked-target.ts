import { allows } from '../../auth/permission/permission.ts';
import type { Caller } from '../../kernel/app/app.ts';

const SHOWN_END = 4;

/** Whether the caller may change channels, and so read where they lead: a URL may be a secret in whole. */
export const seesTargets = (caller: Caller): boolean =>
  allows(caller, 'svc-center-data:notify_channel:update');

/** Of a URL its host and the last four characters, by which people tell two of them apart; other addresses whole. */
function shownTarget(target: string): string {
  const url = URL.parse(target);
  if (!url || url.host === '') return target;
  const rest = target.slice(target.indexOf(url.hostname) + url.hostname.length);
  return `${url.protocol}//${url.host}/…${rest.length > 2 * SHOWN_END ? target.slice(-SHOWN_END) : ''}`;
}

type Shown = { target: string; channelExt?: Record<string, unknown> };

/** A channel or notification as the caller may read it; of settings only the host that they lead to. */
export function maskedFor<T extends Shown>(caller: Caller, row: T): T {
  if (seesTargets(caller)) return row;
  return {
    ...row,
    target: shownTarget(row.target),
    ...(row.channelExt && { channelExt: shownSettings(row.channelExt) }),
  };
}

function shownSettings({ content, ...envelope }: Record<string, unknown>): Record<string, unknown> {
  if (typeof content !== 'object' || content === null) return envelope;
  const url: unknown = 'url' in content ? content.url : undefined;
  return { ...envelope, content: typeof url === 'string' ? { url: shownTarget(url) } : {} };
}
