import { createParser } from 'eventsource-parser';

import type { Session } from '../../people/session.ts';

/** `text`: tools are offered and the answer is free text, where the line belongs; the others have none. */
export const forms = ['text', 'JSON', 'no tools', 'task'] as const;
export type Form = (typeof forms)[number];

/** What a client was told. */
export type Told = {
  text: string;
  facts: Record<string, unknown> | null;
  warnings: string[];
  error: string | null;
};

const FIELDS: Record<Form, object> = {
  text: {},
  JSON: { response_format: { type: 'json_object' } },
  'no tools': { tool_choice: 'none' },
  task: { metadata: { task: 'title_generation' } },
};

type Event = { type?: string; code?: string } & Record<string, unknown>;
type Given = {
  error?: unknown;
  choices?: { delta?: { content?: string }; message?: { content?: string | null } }[];
  x_svc?: Event & { events?: Event[]; warnings?: string[] };
};

/** Asks one question of a conversation of its own. */
export async function ask(
  { base, headers }: Session,
  question: string,
  { form, streams, at }: { form: Form; streams: boolean; at: number },
): Promise<Told> {
  const response = await fetch(`${base}/api/v3/agentic/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-conversation-id': `facts-${at}` },
    body: JSON.stringify({
      stream: streams,
      messages: [{ role: 'user', content: question }],
      ...FIELDS[form],
    }),
    signal: AbortSignal.timeout(60_000),
  });
  const body = await response.text();
  const told: Told = { text: '', facts: null, warnings: [], error: null };
  const take = (data: string): void => {
    if (data !== '[DONE]') hear(told, JSON.parse(data));
  };
  if (streams && response.ok) createParser({ onEvent: ({ data }) => take(data) }).feed(body);
  else take(body);
  return told;
}

function hear(told: Told, { error, choices = [], x_svc }: Given): void {
  if (error) told.error ??= JSON.stringify(error);
  for (const { delta, message } of choices) told.text += delta?.content ?? message?.content ?? '';
  for (const event of x_svc?.events ?? (x_svc ? [x_svc] : [])) {
    if (event.type === 'facts') told.facts = event;
    if (event.type === 'warning') told.warnings.push(String(event.code));
  }
}
