import { hash } from 'node:crypto';

import { at, parseJson, textOf, textsIn } from '../report/json.ts';
import { timeOf } from '../report/time.ts';
import type { Happening } from '../sdk/driver.ts';
import type { BoundEvent } from './binding.ts';
import type { Message } from './broker/connection.ts';

/** What a message says that happened. One that the broker had stored says nothing without its own time. */
export function happeningsIn(
  { payload, isRetained }: Pick<Message, 'payload' | 'isRetained'>,
  events: readonly BoundEvent[],
  now: number,
): Happening[] {
  const text = payload.toString();
  const whole = parseJson(text);
  return events.flatMap(({ event: { code }, settings }): Happening[] => {
    const { codePath, codeText, timePath, idPath, paramsPath, messagePath } = settings;
    if (codePath && textOf(at(whole, codePath)) !== (codeText || code)) return [];
    const given = timePath && textOf(at(whole, timePath));
    const time = given ? timeOf(given) : null;
    if (isRetained && time === null) return [];
    const own = idPath && textOf(at(whole, idPath));
    // Two messages of one time that say the same are one.
    const id = own ?? (time === null ? null : `${time} ${hash('sha256', payload)}`);
    return [
      {
        event: code,
        occurTime: time ?? now,
        params: textsIn(text, paramsPath ?? []),
        message: (messagePath && textOf(at(whole, messagePath))) ?? '',
        ...(id !== null && { id }),
      },
    ];
  });
}
