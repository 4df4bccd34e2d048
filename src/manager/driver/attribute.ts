import { z } from 'zod';

import { declarable } from '../../auth/connection/untrusted.ts';
import { AttributeLimits, isInRange, rangeText } from '../../bus/topic/attribute.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { flag, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { entity } from '../entity/answer.ts';
import type { OfDriver } from '../entity/of.ts';
import type { AttributeKind } from '../entity/value-type.ts';
import { ValueType, canonical, isNumeric } from '../entity/value-type.ts';

export type AttributeTable = `svc_${AttributeKind}_attribute`;

export const Attribute = entity('Attribute', {
  attributeName: z.string().meta({ examples: ['Port'] }),
  attributeCode: z.string().meta({ examples: ['port'] }),
  attributeTypeFlag: named(ValueType),
  defaultValue: z.string().meta({ examples: ['5683'] }),
  driverId: AnswerId,
  attributeExt: AnswerExt.describe(
    'With security.secret no answer contains the config values of this attribute; with oneOf it takes only these values, with min and max only numbers between them, with required no empty one',
  ),
});
export type Attribute = z.output<typeof Attribute.schema>;
declarable(Attribute.schema);

export const AttributeQuery = input({
  page: Page,
  attributeName: Text(64).optional(),
  attributeCode: Text(64).optional(),
  attributeTypeFlag: flag(ValueType).optional(),
  driverId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type AttributeQuery = z.infer<typeof AttributeQuery>;

/** A registration declares at most 64 attributes of a kind. */
const MAX_ATTRIBUTES = 1000;

/** Operations that read the attributes of one kind. */
export function readsOf(kind: AttributeKind) {
  const table: AttributeTable = `svc_${kind}_attribute`;

  const byId: Operation<ById, Attribute> = (app, { tenantId }, { id }) =>
    inOneTrip(app.db, tenantId, async (q) => Attribute.of(await rowOf(q, table, tenantId, id)));

  /** The first 1,000 of a driver, in the order they were added. */
  const byDriver: Operation<OfDriver, Attribute[]> = (app, { tenantId }, { driverId }) =>
    inOneTrip(app.db, tenantId, (q) => attributesOf(q, kind, tenantId, driverId));

  const page: Operation<AttributeQuery, Paged<Attribute>> = (app, { tenantId }, given) =>
    inOneTrip(app.db, tenantId, (q) => {
      const query = narrowed(
        q.selectFrom(table).selectAll().where('tenantId', '=', tenantId),
        given,
        {
          like: ['attributeName', 'attributeCode'],
          equal: ['attributeTypeFlag', 'driverId', 'enableFlag'],
        },
      );
      return pageOf(query.orderBy('id', 'desc'), given.page, Attribute.of);
    });

  return { byId, byDriver, page };
}

export async function attributesOf(
  q: Queries,
  kind: AttributeKind,
  tenantId: string,
  driverId: string,
): Promise<Attribute[]> {
  const rows = await q
    .selectFrom(`svc_${kind}_attribute`)
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('driverId', '=', driverId)
    .orderBy('id')
    .limit(MAX_ATTRIBUTES)
    .execute();
  return rows.map(Attribute.of);
}

/** What the attribute takes; nothing of what makes no sense. */
const limitsOf = ({ attributeExt }: Attribute): AttributeLimits =>
  AttributeLimits.safeParse(attributeExt).data ?? {};

/** Why a value that its driver requires is refused where there is none. */
export const REQUIRED = 'must not be empty: the driver requires it';

/** Whether each device, point, command or event needs its own value. */
export const isRequired = (attribute: Attribute): boolean =>
  limitsOf(attribute).required === true && attribute.defaultValue.trim() === '';

/** Of the values that an attribute takes, in a message. */
const MAX_SHOWN = 8;

/** Throws Unprocessable when the attribute is of another driver, or the value is none that it takes. */
export function checkConfig(attribute: Attribute, driverId: string, value: string): void {
  if (attribute.driverId !== driverId)
    throw new Unprocessable("The attribute does not belong to the device's driver");
  const problem = valueProblem(attribute, value);
  if (problem !== null)
    throw new Unprocessable(`The value of ${attribute.attributeCode} ${problem}`);
}

/** Why the attribute does not take this value; null where it does. */
export function valueProblem(attribute: Attribute, value: string): string | null {
  const { attributeTypeFlag: type } = attribute;
  const { oneOf = [], required, ...range } = limitsOf(attribute);
  if (required && value.trim() === '') return REQUIRED;
  const text = canonical(type, value);
  if (text === null) return `must be a ${type}`;
  if (oneOf.length > 0 && !oneOf.some((one) => canonical(type, one) === text)) {
    const shown = oneOf.slice(0, MAX_SHOWN).map((one) => quoted(one));
    return `must be ${shown.join(' or ')}: the running driver takes no other`;
  }
  const isOut = isNumeric(type) && !isInRange(range, Number(text));
  return isOut ? `must be ${rangeText(range)}: the driver takes no other` : null;
}
