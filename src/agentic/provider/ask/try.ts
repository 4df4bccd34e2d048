import { z } from 'zod';

import type { App, Caller } from '../../../kernel/app/app.ts';
import { AppError } from '../../../kernel/errors.ts';
import { reasonFor } from '../reason.ts';
import type { Model } from '../usable-models.ts';
import { abilities, type Answered } from './abilities.ts';
import { attempt } from './attempt.ts';

const TOTAL_MS = 55_000;
/** Local servers answer one request after the other, and vendors have limits. */
const AT_ONCE = 3;

type Name = keyof typeof abilities;
const NAMES = Object.keys(abilities).filter((name): name is Name => name in abilities);

/** One thing that a model was asked for. */
export const Try = z.object({
  name: z.enum(NAMES).meta({ examples: ['tool'] }),
  ok: z.boolean().nullable().describe('null: it is not known, as `reason` says'),
  reason: z
    .string()
    .describe('Why not; empty where it can')
    .meta({ examples: [''] }),
  ms: z.number().int().describe('Until the end of its answer'),
});
export type Try = z.output<typeof Try>;

/**
 * Asks a model for each ability, as the chat would: what its refusals show of its requests is learned. Within a minute; what
 * was not answered by then is not known. Nothing of it is a turn or in its usage.
 */
export async function tryAll(app: App, caller: Caller, model: Model): Promise<Try[]> {
  const limit = new AbortController();
  const cancel = app.clock.after(TOTAL_MS, () => limit.abort());
  try {
    const [first, ...others] = NAMES;
    if (!first) return [];
    const answer = await tryOne(app, caller, model, first, limit.signal);
    // A model that does not answer at all is not asked eight times more.
    if (answer.ok !== true) return [answer, ...others.map((name) => unknown(name, 'not tried'))];
    const found = new Map<Name, Try>([[first, answer]]);
    const next = others.values();
    const lane = async (): Promise<void> => {
      for (const name of next)
        found.set(name, await tryOne(app, caller, model, name, limit.signal));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return NAMES.map((name) => found.get(name) ?? unknown(name, 'not tried'));
  } finally {
    cancel();
  }
}

const unknown = (name: Name, reason: string, ms = 0): Try => ({ name, ok: null, reason, ms });

async function tryOne(
  app: App,
  caller: Caller,
  model: Model,
  name: Name,
  signal: AbortSignal,
): Promise<Try> {
  if (signal.aborted) return unknown(name, 'not tried within a minute');
  const startedAt = app.clock.elapsed();
  const passed = (): number => Math.round(app.clock.elapsed() - startedAt);
  const { asks, shows } = abilities[name];
  try {
    const answered = await answerTo(app, caller, model, asks, signal);
    return { name, ...shows(answered), ms: passed() };
  } catch (error) {
    if (signal.aborted) return unknown(name, 'no answer within a minute', passed());
    if (!(error instanceof AppError)) throw error;
    const reason = (error.message + reasonFor(caller, error)).slice(0, 300);
    return { name, ok: false, reason, ms: passed() };
  }
}

async function answerTo(
  app: App,
  caller: Caller,
  model: Model,
  asks: (typeof abilities)[Name]['asks'],
  signal: AbortSignal,
): Promise<Answered> {
  const answered: Answered = { text: '', calls: [], pieces: 0 };
  const request = { ...asks, model: model.name };
  const state = { steps: [], wanted: [], ignored: new Set<string>(), signal };
  for await (const delta of attempt(app, caller, model, request, state)) {
    if (delta.type === 'text') {
      answered.text += delta.text;
      answered.pieces += 1;
    }
    if (delta.type !== 'toolCall') continue;
    const made = (answered.calls[delta.index] ??= { name: '', arguments: '' });
    made.name ||= delta.name ?? '';
    made.arguments += delta.arguments ?? '';
  }
  return answered;
}
