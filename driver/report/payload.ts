import type { DriverPoint } from '../sdk/driver.ts';
import { misconfigured } from '../sdk/failure.ts';
import { parseJson } from './json.ts';

type Write = {
  point: DriverPoint;
  settings: { trueText: string; falseText: string };
  /** The value as the device spells it. */
  raw: string;
  isJson: boolean;
  /** What else the template may name. */
  names: Readonly<Record<string, string>>;
};

/** A template with its `${value}` and other names filled in; in JSON a text has its quotes. */
export function filledPayload(
  template: string,
  { point, settings, raw, isJson, names }: Write,
): string {
  const word = (raw === 'true' ? settings.trueText : settings.falseText) || raw;
  const text = point.type === 'BOOLEAN' ? word : raw;
  const isQuoted = isJson && (point.type === 'STRING' || text !== raw);
  const values: Readonly<Record<string, string>> = {
    ...names,
    value: isQuoted ? JSON.stringify(text) : text,
  };
  return template.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

type Call = {
  params: Readonly<Record<string, string>>;
  /** What else the template may name. */
  names: Readonly<Record<string, string>>;
  isJson: boolean;
};

/**
 * A template with the parameters of a call filled in: `${NAME}` is one of them, `${params}` an object of all; inside of
 * JSON each is the content of a text. Throws `DriverFailure` where that makes no JSON.
 */
export function calledPayload(template: string, { params, names, isJson }: Call): string {
  const all: Readonly<Record<string, string>> = { ...names, ...params };
  const spelledIn = (text: string) => (isJson ? JSON.stringify(text).slice(1, -1) : text);
  const filled = template.replaceAll(/\$\{([^{}]{1,64})\}/g, (whole, name: string) => {
    if (Object.hasOwn(all, name)) return spelledIn(all[name] ?? '');
    return name === 'params' ? JSON.stringify(params) : whole;
  });
  if (isJson && parseJson(filled) === undefined)
    throw misconfigured('payload: with these parameters it is no JSON');
  return filled;
}
