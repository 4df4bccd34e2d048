import { sql } from 'kysely';

import { type Demanded, demandedFrom } from '../../../../providers/request/demanded.ts';
import {
  type ParameterMap,
  formLearnedFrom,
  joined,
  learnedFrom,
} from '../../../../providers/request/parameters.ts';
import type { ModelMessage } from '../../../../providers/request/provider.ts';
import { relyingOn } from '../../../db/basis.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { MODEL_HEALTH } from '../health.ts';
import { Parameters } from '../parameters.ts';
import { refusalOf } from '../reason.ts';
import type { Model } from '../usable-models.ts';

/** A refusal that shows no more than what is known already would be learned again and again. */
const MAX_LEARNED = 12;

const REFUSED: ReadonlySet<number> = new Set([400, 422]);
/** Servers of local models answer so where a template refuses the messages. */
const REFUSED_BY_TEMPLATE: ReadonlySet<number> = new Set([404, 500]);

/** The map of a model with what a refusal of its vendor shows; null when it shows nothing new. */
export function learnedBy(error: unknown, known: ParameterMap): Parameters | null {
  const refusal = refusalOf(error);
  if (!refusal) return null;
  const { status, text, sent } = refusal;
  const shown = REFUSED.has(status)
    ? learnedFrom(text, sent)
    : REFUSED_BY_TEMPLATE.has(status)
      ? formLearnedFrom(text, sent)
      : null;
  if (!shown) return null;
  const parsed = Parameters.safeParse(joined(known, shown));
  if (
    !parsed.data ||
    JSON.stringify(parsed.data) === JSON.stringify(Parameters.parse(joined(known, {})))
  )
    return null;
  const { rename = {}, drop = [] } = parsed.data;
  return Object.keys(rename).length + drop.length <= MAX_LEARNED ? parsed.data : null;
}

/** What a refusal of these messages shows of what its vendor wants beside calls. */
export function demandedBy(error: unknown, messages: readonly ModelMessage[]): Demanded | null {
  const refusal = refusalOf(error);
  if (!refusal || !REFUSED.has(refusal.status)) return null;
  return demandedFrom(refusal.text, messages);
}

/** Keeps what an answer showed: that texts of the model begin in a thought, or do so no more; undefined: nothing new. */
export async function learnThought(
  app: App,
  caller: Pick<Caller, 'tenantId'>,
  model: Model,
  thinksFirst: boolean | undefined,
): Promise<void> {
  const { thinksFirst: before = false, ...others } = model.learned;
  if (thinksFirst === undefined || before === thinksFirst) return;
  model.learned = thinksFirst ? { ...others, thinksFirst } : others;
  await remember(app, caller, model, model.learned);
}

/** Keeps how many tokens the context of a model has; null: nothing new. */
export async function learnContext(
  app: App,
  caller: Pick<Caller, 'tenantId'>,
  model: Model,
  contextTokens: number | null,
): Promise<void> {
  const parsed = Parameters.safeParse({ ...model.learned, contextTokens });
  if (!parsed.data || contextTokens === model.learned.contextTokens) return;
  model.learned = parsed.data;
  await remember(app, caller, model, model.learned);
}

/** Keeps what was learned with the provider; of a model of the environment, in this process. */
export async function remember(
  app: App,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { providerId, name }: Pick<Model, 'providerId' | 'name'>,
  learned: Parameters,
): Promise<void> {
  app.log.info({ tenantId, model: name, learned }, 'a model showed what it accepts or answers');
  if (providerId === null) {
    app.of(MODEL_HEALTH).learned.set(name, learned);
    return;
  }
  await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) =>
      q
        .updateTable('svc_model_provider')
        .set({
          learned: sql`learned || jsonb_build_object(${name}::text, ${JSON.stringify(learned)}::jsonb)`,
        })
        .where('tenantId', '=', tenantId)
        .where('id', '=', providerId)
        .execute(),
    ),
  ).catch((error: unknown) =>
    // The turn goes on without it, and the next one learns it again.
    app.log.warn({ tenantId, model: name, error }, 'what a model accepts was not saved'),
  );
}
