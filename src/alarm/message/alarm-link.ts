import type { App } from '../../kernel/app/app.ts';
import type { Config } from '../../kernel/process/config.ts';
import { isLinkable } from '../../kernel/request/loopback.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';

/** When messages are written, and the address of the console in them; null where only this machine reaches it. */
export type Writing = { now: number; consoleUrl: string | null };

type Given = Pick<App, 'clock'> & { config: Pick<Config, 'baseUrl'> };

export function writingOf({ clock, config: { baseUrl } }: Given): Writing {
  return { now: clock.now(), consoleUrl: isLinkable(baseUrl) ? `${baseUrl}/console` : null };
}

/** The list of alarms that fire, or that are over without a confirmation; empty where no console is known. */
export const linkToAlarms = ({ consoleUrl }: Writing, event: NoticeEvent): string =>
  consoleUrl === null ? '' : `${consoleUrl}/alarms${event === 'FIRED' ? '' : '?state=recovered'}`;

/** The page of an alarm, on which people confirm it after their login; empty where none is known. */
export const linkTo = ({ consoleUrl }: Writing, alarmId: string): string =>
  consoleUrl === null || alarmId === '0' ? '' : `${consoleUrl}/alarms/${alarmId}`;
