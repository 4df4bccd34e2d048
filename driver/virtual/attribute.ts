import type { AttributeType } from '../../src/bus/topics.ts';
import type { Attribute } from '../sdk/driver.ts';

export function attribute(
  code: string,
  type: AttributeType,
  defaultValue: string,
  description: string,
): Attribute {
  return { code, name: code, type, defaultValue, description, secret: false };
}
