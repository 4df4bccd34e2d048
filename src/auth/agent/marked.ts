import type { App, Caller, Untrusted, UntrustedText } from '../../kernel/app/app.ts';
import { isFree, NAME_WORDS, quotationsIn } from '../../kernel/sentence/free-text.ts';
import { noteRead } from './read-texts.ts';

type Offered = { name: string; untrusted?: Untrusted };

/**
 * An answer that a model is about to read: the fields with free texts of devices and users are named beside them as
 * `untrusted`, and noted for the proposals that it may lead to.
 */
export async function marked(
  app: App,
  caller: Caller,
  { name, untrusted: of }: Offered,
  answer: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const untrusted = await noteRead(app, caller, name, of?.texts(answer) ?? []);
  return untrusted.length === 0 ? answer : { ...answer, untrusted };
}

/** The texts of others in sentences of the platform, such as the state of a task. */
export const quotedTexts = (field: string, sentence: string): UntrustedText[] =>
  quotationsIn(sentence).map((text) => ({ field, of: '', text, isFree: isFree(text, NAME_WORDS) }));

/** Notes the names of the plant that a list shows under `field`. */
export async function noteNames(
  app: App,
  caller: Caller,
  { name }: Offered,
  { field, names }: { field: string; names: readonly string[] },
): Promise<void> {
  const texts = names.map((text) => ({ field, of: '', text, isFree: isFree(text, NAME_WORDS) }));
  await noteRead(app, caller, name, texts);
}

/** Notes the names of the plant that a refusal quotes; what the caller said itself is not news to it. */
export async function noteRefusal(
  app: App,
  caller: Caller,
  { name }: Offered,
  { input, message }: { input: unknown; message: string },
): Promise<void> {
  const said = JSON.stringify(input) ?? '';
  const texts = quotedTexts('message', message).filter(({ text }) => !said.includes(text));
  await noteRead(app, caller, name, texts);
}
