import { plain } from './action-card.ts';
import type { ActionView } from './action-view.ts';

/**
 * An action and its end in one line of ids, enumerations and numbers: text of a device has no place
 * where rules stand (chat/prompt.ts).
 */
export function receiptLine(action: ActionView): string {
  const { actionId, deviceId, pointId } = action;
  const value = numeric(action.proposedValue);
  const of = `(device ${deviceId}, point ${pointId}${value ? `, value ${value}` : ''})`;
  return `action ${actionId} ${of} is ${endOf(action, numeric)}`;
}

/** The same for people, with the names of the card; nothing in it can become Markdown. */
export function receiptText(action: ActionView): string {
  const { actionId, deviceName, pointName, proposedValue, unit } = action;
  const what = `${plain(pointName)} of ${plain(deviceName)} to ${plain(proposedValue)}`;
  const set = `set ${what}${unit ? ` ${plain(unit)}` : ''}`;
  return `Receipt of action \`${actionId}\` (${set}): ${endOf(action, plain)}`;
}

function endOf({ status, command }: ActionView, shown: (text: string) => string): string {
  if (status === 'PENDING') return `${status}: it waits for a human, nothing has been written.`;
  if (!command) return `${status}: nothing has been written.`;
  const read = shown(command.readBackValue ?? '');
  const error = /^[A-Z][A-Z0-9_]{0,63}$/.test(command.errorCode) ? ` (${command.errorCode})` : '';
  return `${status}: the command is ${command.status}${error}, verification ${command.verification}${read ? `, read back ${read}` : ''}.`;
}

const numeric = (text: string): string =>
  /^(?:true|false|[+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)$/i.test(text) ? text : '';
