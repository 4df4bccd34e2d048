import { attribute } from '../sdk/attribute.ts';
import { type Attribute, type DriverCommand, DriverFailure } from '../sdk/driver.ts';

/** docs/specification/drivers.md, Virtual driver. */
export const commandAttributes: readonly Attribute[] = [
  attribute(
    'payloadTemplate',
    'STRING',
    '${value}',
    'What is sent; ${code} stands for a parameter',
  ),
  attribute('responseTemplate', 'STRING', '{}', 'JSON object of what the device answers'),
];
export const eventAttributes: readonly Attribute[] = [
  attribute('eventCodePath', 'STRING', '$.eventCode', 'Where a message says which event it is'),
  attribute('payloadPath', 'STRING', '$.payload', 'Where a message has what it carries'),
];

/**
 * Answers the filled payload template (`payload`) and the fields of the filled response template. Throws
 * `DriverFailure` for a response template that is no JSON object.
 */
export function answerCall(
  { configs }: DriverCommand,
  params: Readonly<Record<string, string>>,
): Record<string, string> {
  const fill = (template: string, quote: (text: string) => string): string =>
    template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => quote(params[name] ?? ''));
  const payload = fill(configs['payloadTemplate'] ?? '', (text) => text);
  // In the response template a parameter is the content of a JSON string, so it is escaped.
  const response = fill(configs['responseTemplate'] ?? '{}', (text) =>
    JSON.stringify(text).slice(1, -1),
  );
  return { payload, ...fieldsOf(response) };
}

function fieldsOf(response: string): Record<string, string> {
  let answered: unknown;
  try {
    answered = JSON.parse(response);
  } catch (error) {
    throw new DriverFailure('COMMAND_CONFIG', 'responseTemplate is no JSON', 'FAILED', error);
  }
  if (typeof answered !== 'object' || answered === null || Array.isArray(answered))
    throw new DriverFailure('COMMAND_CONFIG', 'responseTemplate is no JSON object');
  return Object.fromEntries(
    Object.entries(answered).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
