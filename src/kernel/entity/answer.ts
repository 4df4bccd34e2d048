import { z } from 'zod';

import { nameOf } from '../input/flag.ts';
import { withoutUnknown } from '../input/unknown.ts';

type Flags = Record<string, number>;

/** A time in an answer that a builder makes: ISO 8601 in UTC. */
export const IsoTime = z
  .string()
  .meta({ format: 'date-time', examples: ['2026-03-01T08:30:00.000Z'] });

/** A stored time; answers carry it as ISO 8601 in UTC. */
export const Time = z.pipe(
  z.transform((time: Date) => time.toISOString()),
  IsoTime,
);

/** A stored time that may be absent. */
export const MaybeTime = z.nullable(Time);

/** The answer of an operation that existing clients expect `true` from, and no other value. */
export const Done = z.literal(true);

/** A stored id (a 64-bit number), as text (docs/specification/endpoints.md, Types). */
export const AnswerId = z.string().meta({ examples: ['7312'] });

export const AnswerUuid = z
  .string()
  .meta({ format: 'uuid', examples: ['7d9f9a1e-6f0b-4a57-9d3e-2c8f0f6b1a44'] });

/** A stored 64-bit count or duration that answers carry as a number. */
export const Int8 = z.pipe(
  z.transform((stored: string) => Number(stored)),
  z.number().int(),
);

/** The name of a flag, in an answer that a builder makes. */
export const nameIn = <const F extends Flags>(flags: F) =>
  z.custom<Extract<keyof F, string>>().meta({ type: 'string', enum: Object.keys(flags) });

/** A stored flag that answers carry by its name. */
export const named = <const F extends Flags>(flags: F) =>
  z.codec(z.number(), nameIn(flags), {
    decode: (value) => nameOf(flags, value),
    encode: (given) => flags[given] ?? 0,
  });

/** A stored 0 or 1 that answers carry as a boolean. */
export const YesNo = z.codec(z.number(), z.boolean(), {
  decode: (value) => value === 1,
  encode: Number,
});

/** A stored flag that answers carry as its number (docs/specification/alarms.md, Enumerations). */
export const numbered = (flags: Flags) =>
  z.number().meta({
    type: 'integer',
    enum: Object.values(flags),
    description: Object.entries(flags)
      .map(([name, value]) => `${value}: ${name}`)
      .join(', '),
  });

/** An extension object (docs/specification/objects.md, Common fields). */
export const AnswerExt = z.record(z.string(), z.unknown());

/** The same without what its schema does not know, so that it can be sent back. */
export const knownExt = (schema: z.ZodType) =>
  z.pipe(
    z.transform((stored: Record<string, unknown>) => withoutUnknown(schema, stored)),
    AnswerExt,
  );

/** A stored object that answers carry as JSON text, as existing clients expect. */
export const JsonText = z.pipe(
  z.transform((stored: object) => JSON.stringify(stored)),
  z.string().meta({ examples: ['{"speed":"1450"}'] }),
);

/** Fields of every stored entity besides its id. */
const audited = {
  remark: z.string().meta({ examples: ['Checked in March'] }),
  creatorId: AnswerId,
  creatorName: z.string().meta({ examples: ['admin'] }),
  createTime: Time,
  operatorId: AnswerId,
  operatorName: z.string().meta({ examples: ['admin'] }),
  operateTime: Time,
};

/**
 * The answer of a noun, declared once: its type (`z.output`), its mapper (`of`, from a row with at least the
 * columns of `z.input`) and, under `name`, its schema in the OpenAPI document. Other columns of the row are
 * left out.
 */
export function answer<S extends z.ZodRawShape>(name: string, columns: S) {
  const schema = z.object(columns).meta({ id: name });
  return {
    schema,
    of(row: z.input<typeof schema>): z.output<typeof schema> {
      const { data, error } = schema.safeParse(row);
      // Not a ZodError, which is the caller's fault: here the row or the schema is wrong.
      if (!data) throw new Error(`A row is no ${name}: ${error?.message}`);
      return data;
    },
  };
}

/** The answer of a stored noun: its id, the common fields, its own (docs/specification/objects.md, Common fields). */
export const stored = <S extends z.ZodRawShape>(name: string, columns: S) =>
  answer(name, { id: AnswerId, ...audited, ...columns });

/** One page of a list (docs/specification/endpoints.md, Paging). */
export const pageOfAnswers = <S extends z.ZodType>(record: S) =>
  z.object({
    records: z.array(record),
    total: z.number().int(),
    size: z.number().int(),
    current: z.number().int(),
    pages: z.number().int(),
  });
