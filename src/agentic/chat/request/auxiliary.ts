import type { RequestMessage } from './message.ts';

/**
 * Matches a prompt by which Open WebUI or LibreChat asks a model for a title, tags, follow-ups or search queries. A prompt
 * of Open WebUI needs a section of its templates too: a person may begin a question with "### Task:".
 */
const TASK_PROMPT =
  /^\s*(###\s*Task:[\s\S]*?(###\s*(Guidelines|Output|Examples|Chat History)|<chat_history>)|(please )?(provide|generate) a concise, 5-word-or-less title for the conversation\b)/i;

/** Tasks as chat programs name them: `title_generation`, `tags`, `follow_ups` and the like. */
const TASK = /_generation$|^(title|tags?|emoji|follow_?ups?|quer(y|ies)|autocomplete|summary)$/i;

/**
 * Whether a chat program asks for its own purposes: `metadata.task` names the task, or its only message is a task
 * prompt.
 */
export function isAuxiliary(
  metadata: Record<string, unknown> | undefined,
  said: readonly Pick<RequestMessage, 'role' | 'text'>[],
): boolean {
  const task = metadata?.['task'];
  if (typeof task === 'string' && TASK.test(task.trim())) return true;
  const [only, ...others] = said;
  return others.length === 0 && only?.role === 'user' && TASK_PROMPT.test(only.text);
}
