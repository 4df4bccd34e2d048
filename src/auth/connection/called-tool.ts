import type { Tool } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';

/** A call as it counts everywhere: the tool that runs, under its own name, with its own arguments. */
export type CalledTool = { name: string; tool: Tool | undefined; input: unknown };

/** The tool that a call means: of a tool that only leads to others, the one that its arguments name. */
export function calledTool(tools: readonly Tool[], name: string, input: unknown): CalledTool {
  const named = tools.find((tool) => tool.name === name);
  const meant = named?.opens?.call?.(input);
  if (!named?.opens || !meant) return { name, tool: named, input };
  const tool = tools.find((one) => one.name === meant.name);
  const isOpen = named.opens.tools.some((one) => one.name === meant.name);
  return { ...meant, tool: tool && !isOpen ? refusing(tools, tool) : tool };
}

/**
 * Checked as the tool itself, and then refused: what a person allows a program by a tool's name or hints is not to be
 * had by another.
 */
function refusing(
  tools: readonly Tool[],
  { reply: _reply, onlyAsTask: _only, ...tool }: Tool,
): Tool {
  const opener = tools.find(
    ({ opens }) => opens?.call && opens.tools.some(({ name }) => name === tool.name),
  );
  return {
    ...tool,
    run: () =>
      Promise.reject(
        new BadRequest(`${tool.name} is called ${opener ? `with ${opener.name}` : 'by its name'}`),
      ),
  };
}
