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
  const { readAs, ...call } = meant;
  if (!tool || (isOpen && readAs.length === 0)) return { ...call, tool };
  return { ...call, tool: isOpen ? saying(readAs, tool) : refusing(tools, tool) };
}

/** Its answers say how the call around its arguments was read, too. */
function saying(readAs: readonly string[], { run, reply, ...tool }: Tool): Tool {
  const withRead = (answer: Record<string, unknown>): Record<string, unknown> => {
    const inner: unknown = answer['readAs'];
    return { ...answer, readAs: [...readAs, ...(Array.isArray(inner) ? inner : [])] };
  };
  return {
    ...tool,
    run: async (...given) => withRead(await run(...given)),
    ...(reply && {
      async reply(...given: Parameters<typeof reply>) {
        const answer = await reply(...given);
        if (answer.kind !== 'record') return answer;
        return { ...answer, structured: withRead(answer.structured) };
      },
    }),
  };
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
