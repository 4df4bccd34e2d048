import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import type { App } from '../../../kernel/app/app.ts';
import { findRow, rowOf } from '../../../kernel/entity/row.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { watchesDevice } from '../../condition/devices.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { fieldIn } from '../../kind/condition.ts';
import type { RuleContent } from '../../kind/rule-ext.ts';
import { recordedFacts } from '../replay/record-facts.ts';
import type { Span } from '../replay/stored-facts.ts';
import type { Watched } from './asked.ts';
import type { Looked } from './episodes.ts';
import { isLateAfter, lookedAtPlace } from './looked-at.ts';
import type { RulePreview } from './preview-answer.ts';

type Records = Watched & { target: Exclude<Watched['target'], 'POINT'> };
type LookedAt = { looked: Looked[]; span: Span } & Pick<RulePreview, 'cut' | 'unknown'>;

/** How many devices, or drivers, a rule watches. Throws NotFound for the one that it names. */
export async function countOf(
  q: Queries,
  tenantId: string,
  { target, entityId, deviceId, content: { devices } }: Records & { content: RuleContent },
): Promise<number> {
  const table = target === 'DRIVER' ? 'svc_driver' : 'svc_device';
  if (entityId !== '0') await rowOf(q, table, tenantId, entityId);
  if (deviceId !== undefined && !(await findRow(q, table, tenantId, deviceId)))
    throw new NotFound('Device');
  if (entityId !== '0' || deviceId !== undefined) return 1;
  const ext = sql`${JSON.stringify({ content: { devices } })}::jsonb`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} d
    where d.tenant_id = ${tenantId} and ${watchesDevice(ext, sql`d.tenant_id`, sql`d.id`)}`.execute(
    q,
  );
  return rows[0]?.count ?? 0;
}

/** What a rule on devices, drivers or events would have raised, a place at a time, and what cannot be known of it. */
export async function lookedAtRecords(
  app: App,
  tenantId: string,
  { watched, rule, span: asked }: { watched: Records; rule: ActiveRule; span: Span },
): Promise<LookedAt> {
  const { content } = rule;
  const isLate = isLateAfter(app);
  const found = await recordedFacts(app, tenantId, { ...watched, content, span: asked });
  const { recorded, span, isCut, isDeleted } = found;
  const looked: Looked[] = [];
  for (const each of recorded) {
    if (isLate()) break;
    looked.push(await lookedAtPlace(rule, { names: each, stored: each, span }));
  }
  return {
    looked,
    span,
    cut: [
      ...(isCut ? (['VALUES'] as const) : []),
      ...(looked.length < recorded.length ? (['TIME'] as const) : []),
    ],
    unknown: [
      ...(watched.target === 'EVENT' ? [] : (['OUTAGES'] as const)),
      ...(isOther(watched.target, content) ? (['FIELDS'] as const) : []),
      ...(isDeleted ? (['DELETED'] as const) : []),
    ],
  };
}

/** Fields of outages and reports that are not stored as they were: names change, and a text is stored as a quotation. */
const OTHER = { DEVICE: ['message', 'driverId'], DRIVER: ['message'], EVENT: [] } as const;

function isOther(target: Records['target'], { condition }: RuleContent): boolean {
  const other: readonly (string | undefined)[] = OTHER[target];
  return other.includes(fieldIn(condition));
}
