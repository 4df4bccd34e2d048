import type { DriverPoint } from '../sdk/driver.ts';

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
