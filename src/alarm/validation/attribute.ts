import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { isSecret } from '../../manager/entity/secret-value.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import { codesIn } from '../condition/limit.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { refusalOf } from './wrong.ts';

/** Drivers that have an attribute of one code. */
const MAX_DRIVERS = 1_000;

/** Throws BadRequest where the condition takes a limit from an attribute that gives no device a number. */
export async function requireAttribute(
  q: Queries,
  tenantId: string,
  content: RuleContent,
): Promise<void> {
  const codes = codesIn(content);
  if (codes.length === 0) return;
  const of = (kind: 'driver' | 'point') =>
    q
      .selectFrom(`svc_${kind}_attribute`)
      .select(['attributeCode', 'attributeTypeFlag', 'attributeExt'])
      .where('tenantId', '=', tenantId)
      .where((eb) => eb('attributeCode', '=', eb.fn.any(eb.val(codes))))
      .limit(MAX_DRIVERS)
      .execute();
  const rows = (await Promise.all([of('driver'), of('point')])).flat();
  for (const code of codes) {
    const known = rows.filter(({ attributeCode }) => attributeCode === code);
    const open = known.filter(({ attributeExt }) => !isSecret(attributeExt));
    if (open.some((row) => isNumeric(nameOf(ValueType, row.attributeTypeFlag)))) continue;
    const why =
      known.length === 0
        ? `no driver has an attribute ${quoted(code)} for devices or points: add one to the driver first`
        : `the attribute ${quoted(code)} is no number that can be read: a limit is of a numeric type, and not secret`;
    const isPlain = 'attribute' in content.condition;
    throw refusalOf({ at: `condition${isPlain ? '.attribute' : ''}`, why });
  }
}
