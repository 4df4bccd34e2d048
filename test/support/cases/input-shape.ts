import { z } from 'zod';

type Field = { name: string; required: boolean; example: unknown };

/** The fields an input schema takes, whatever it is wrapped in. */
export function fieldsOf(schema: z.ZodType): Field[] {
  return Object.entries(shapeOf(schema)).map(([name, field]) => ({
    name,
    required: !field.safeParse(undefined).success,
    example: z.array(z.unknown()).safeParse(field.meta()?.['examples']).data?.[0],
  }));
}

function shapeOf(schema: unknown): Record<string, z.ZodType> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return { ...shapeOf(schema.def.in), ...shapeOf(schema.def.out) };
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return shapeOf(schema.def.innerType);
  }
  if (schema instanceof z.ZodUnion) return Object.assign({}, ...schema.options.map(shapeOf));
  return {};
}

/** Of an entity; a trace is none. */
export const isId = (name: string): boolean =>
  /^ids?$|Ids?$|_ids?$/.test(name) && name !== 'traceId';
