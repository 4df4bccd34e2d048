import type { Tool } from '../../../src/kernel/app/app.ts';
import { tools } from '../../../tools/index.ts';

type Has = (tool: Tool) => boolean;

/** The tools of which `has` holds; one that only leads to others counts as any of them. */
export const offered = (has: Has): Tool[] =>
  tools.filter((tool) => tool.opens?.tools.some(has) ?? has(tool));

/** Their names in the list of tools. */
export const listed = (has: Has = () => true): string[] =>
  offered(has).flatMap(({ name, listed: where }) => (where === 'direct' ? [name] : []));

/** The arguments by which a tool is called; of one that stands for others, a call of its first. */
export function callOf(
  tool: Tool,
  argumentsOf: (tool: Tool) => Record<string, unknown>,
): Record<string, unknown> {
  const [target] = tool.opens?.call ? tool.opens.tools : [];
  if (!target) return argumentsOf(tool);
  return { name: target.name, arguments: JSON.stringify(argumentsOf(target)) };
}
