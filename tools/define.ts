import type { z } from 'zod';

import type { App, Caller, Tool, ToolAnnotations } from '../src/app.ts';

type Definition<I extends z.ZodObject, O extends z.ZodObject> = Omit<
  Tool,
  'input' | 'output' | 'run'
> & {
  input: I;
  output: O;
  run(app: App, caller: Caller, input: z.output<I>): Promise<z.input<O>>;
};

/**
 * Makes a tool: parses the arguments (throws ZodError), runs, and shapes the result to `output`, which
 * cleans every text in it. `runTool` checks permission and scope before.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>({
  run,
  ...tool
}: Definition<I, O>): Tool & { input: I; output: O } {
  return {
    ...tool,
    async run(app, caller, input) {
      const parsed = tool.input.safeParse(input, { error: namingAccepted(tool.input) });
      if (!parsed.success) throw parsed.error;
      const result = tool.output.safeParse(await run(app, caller, parsed.data));
      // Not a ZodError, which the caller would take for a wrong argument.
      if (!result.success) {
        throw new Error(`${tool.name} answered what it did not announce`, { cause: result.error });
      }
      return result.data;
    },
  };
}

/** The error for an unknown argument lists the accepted ones. */
const namingAccepted =
  ({ shape }: z.ZodObject): z.core.$ZodErrorMap =>
  (issue) => {
    if (issue.code !== 'unrecognized_keys' || (issue.path ?? []).length > 0) return undefined;
    const keys = (issue.keys ?? []).slice(0, 5).map((key) => JSON.stringify(key.slice(0, 64)));
    return `Unrecognized key: ${keys.join(', ')}; accepted: ${Object.keys(shape).join(', ') || 'none'}`;
  };

/** Reads stored data only. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Reads from the device itself. */
export const READS_DEVICE: ToolAnnotations = { ...READS, openWorldHint: true };

/** Proposes a change of a device, which is executed once a human confirms it. */
export const PROPOSES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Withdraws a proposal; no device changes. */
export const WITHDRAWS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
