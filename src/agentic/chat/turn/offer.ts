import type { ModelOptions } from '../../../../providers/request/options.ts';
import type { ModelTool } from '../../../../providers/request/provider.ts';
import type { App, Tool } from '../../../kernel/app/app.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { FILES_TOOL } from '../request/files.ts';
import { demandOwnNames, type ToolWishes } from '../request/tools.ts';

const SYNTHETIC = ['readAttachments', FILES_TOOL];

/** Names that no tool of a client may have. */
export const reservedNames = (app: App): readonly string[] => [
  ...app.tools.map(({ name }) => name),
  ...SYNTHETIC,
];

/** What a turn offers to its model, and what it says about calls. */
export type Offer = {
  tools: readonly Tool[];
  clientTools: readonly ModelTool[];
  options: Pick<ModelOptions, 'toolChoice' | 'parallelCalls'>;
};

/**
 * Tools of the platform and of the client side by side; `none` offers neither. Throws BadRequest for a name that is
 * taken, a choice without a tool, and tools for a model that calls none.
 */
export function offerOf(
  app: App,
  wishes: ToolWishes,
  { tools, callsTools, model }: { tools: readonly Tool[]; callsTools: boolean; model: string },
): Offer {
  demandOwnNames(wishes, reservedNames(app));
  const { own, choice, allowed, parallel } = wishes;
  if (own.length > 0 && !callsTools) {
    throw new BadRequest(`The model ${model} is not configured to call tools`, { param: 'tools' });
  }
  if (!callsTools || choice === 'none') return { tools: [], clientTools: [], options: {} };
  const may = ({ name }: { name: string }) => allowed === null || allowed.includes(name);
  const isNamed = (name: string): boolean =>
    (allowed?.includes(name) ?? false) || (typeof choice === 'object' && choice.name === name);
  // What a request names itself needs no search.
  const listed = tools
    .filter(may)
    .map((tool) => (isNamed(tool.name) ? { ...tool, listed: 'direct' as const } : tool));
  const offered = { tools: listed, clientTools: own.filter(may) };
  const names = [...offered.tools, ...offered.clientTools].map(({ name }) => name);
  const isThere = typeof choice === 'object' ? names.includes(choice.name) : names.length > 0;
  if (choice !== undefined && choice !== 'auto' && !isThere) {
    throw new BadRequest('tool_choice: there is no such tool', { param: 'tool_choice' });
  }
  return {
    ...offered,
    options: {
      ...(choice === undefined || choice === 'auto' ? {} : { toolChoice: choice }),
      ...(parallel === undefined ? {} : { parallelCalls: parallel }),
    },
  };
}
