import {
  type GetPromptResult,
  type InputRequiredResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import { denialOf, type Limited } from '../../auth/connection/denial.ts';
import type { App, Prompt } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { asking, type Round } from '../request/answer.ts';
import { type AskedCall, refuseEnded } from '../request/caller.ts';

/** The prompts that permissions and scopes of the caller allow; a connection limits tools, not words. */
export const visiblePrompts = (prompts: readonly Prompt[], caller: Limited): Prompt[] => {
  const { connection: _, ...rights } = caller;
  return prompts.filter((prompt) => denialOf(rights, prompt) === null);
};

export const listPrompts = (
  prompts: readonly Prompt[],
  caller: Limited,
): ListPromptsResult['prompts'] =>
  visiblePrompts(prompts, caller).map((prompt) => ({
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({
      name,
      description,
      required,
    })),
  }));

type Asked = { name: string; arguments?: Record<string, string> | undefined };

/** The messages of a prompt; -32602 for an unknown one and for missing or unknown arguments. */
export async function getPrompt(
  app: App,
  { present, exchange }: AskedCall,
  { name, arguments: given = {} }: Asked,
  round: Round,
): Promise<GetPromptResult | InputRequiredResult> {
  return present(async (caller) => {
    refuseEnded(caller);
    const prompt = visiblePrompts(app.prompts, caller).find((one) => one.name === name);
    if (!prompt) throw refused('Unknown prompt: prompts/list names those there are');
    checkArguments(prompt, given);
    try {
      const messages = await prompt.messages(app, caller, given, exchange);
      if (!Array.isArray(messages)) return await asking(messages, round);
      return {
        description: prompt.description,
        messages: messages.map((content) => ({ role: 'user' as const, content })),
      };
    } catch (error) {
      if (error instanceof AppError) throw refused(error.message);
      throw error;
    }
  });
}

function checkArguments(prompt: Prompt, given: Record<string, string>): void {
  const known = prompt.arguments.map((argument) => argument.name);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const missing = prompt.arguments.filter(({ name, required }) => required && !given[name]);
  if (unknown.length > 0)
    throw refused(
      `Unknown argument ${unknown[0]?.slice(0, 64)}; accepted: ${known.join(', ') || 'none'}`,
    );
  if (missing.length > 0)
    throw refused(`The argument ${missing.map(({ name }) => name).join(', ')} is missing`);
}

const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
