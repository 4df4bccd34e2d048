import type { z } from 'zod';

import { untrustedIn } from '../../src/auth/connection/untrusted.ts';
import type { App, Caller, Tool, ToolAnnotations } from '../../src/kernel/app/app.ts';
import type { Exchange, Reply, Waiting } from '../../src/kernel/app/exchange.ts';
import { isNotFound, NotFound } from '../../src/kernel/errors.ts';
import { nearest } from '../../src/kernel/sentence/nearest.ts';
import { lenient } from '../given/lenient.ts';
import { plantTimeIn } from './plant-time.ts';

type Definition<I extends z.ZodObject, O extends z.ZodObject> = Omit<
  Tool,
  'input' | 'output' | 'untrusted' | 'listed' | 'opens' | 'run' | 'reply'
> & {
  listed?: Tool['listed'];
  input: I;
  output: O;
  run(app: App, caller: Caller, input: z.output<I>, waiting?: Waiting): Promise<z.input<O>>;
  reply?(app: App, caller: Caller, input: z.output<I>, exchange: Exchange): Promise<Reply>;
};

/**
 * Makes a tool: reads the arguments as models send them, parses them (throws ZodError), runs, and shapes the result to
 * `output`, which cleans every text in it, with its times in the zone of the plant; `readAs` says which arguments were read otherwise than they were given. `runTool` checks permission and scope before. Where nothing else is said it is found through
 * the list, not in it.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>({
  run,
  reply,
  ...tool
}: Definition<I, O>): Tool & { input: I; output: O } {
  const parsed = (given: unknown): { data: z.output<I>; readAs: string[] } => {
    const { input, readAs } = lenient(tool.input, given);
    const { data, error } = tool.input.safeParse(input, { error: namingAccepted(tool.input) });
    if (error) throw error;
    return { data, readAs };
  };
  const inPlantTime = plantTimeIn(tool.output);
  const shaped = (answer: unknown, readAs: string[], zone?: string): Record<string, unknown> => {
    const { data, error } = tool.output.safeParse(answer);
    // Not a ZodError, which the caller would take for a wrong argument.
    if (error) throw new Error(`${tool.name} answered what it did not announce`, { cause: error });
    const written = inPlantTime(data, zone);
    return readAs.length > 0 ? { ...written, readAs } : written;
  };
  return {
    listed: 'found',
    ...tool,
    untrusted: untrustedIn(tool.output),
    async run(app, caller, input, waiting) {
      const { data, readAs } = parsed(input);
      const answer = await run(app, caller, data, waiting).catch(namingNext);
      return shaped(answer, readAs, caller.timezone);
    },
    ...(reply && {
      async reply(app: App, caller: Caller, input: unknown, exchange: Exchange): Promise<Reply> {
        const { data, readAs } = parsed(input);
        const given = await reply(app, caller, data, exchange);
        if (given.kind !== 'record') return given;
        return { ...given, structured: shaped(given.structured, readAs, caller.timezone) };
      },
    }),
  };
}

/** Which tool lists what is missing. */
const NEXT: Readonly<Record<string, string>> = {
  device: 'searchDevices',
  driver: 'searchDrivers',
  profile: 'searchProfiles',
  point: 'searchPoints',
};

/** Adds to the refusal of something missing, with nothing near, the tool that lists what there is. */
function namingNext(error: unknown): never {
  const [, what = '', noun = ''] = isNotFound(error)
    ? (/^((?:Write \d+ of \d+: )?(?:a )?(device|driver|profile|point)(?: “.*”)?) does not exist$/i.exec(
        error.message,
      ) ?? [])
    : [];
  const next = NEXT[noun.toLowerCase()];
  throw next === undefined ? error : new NotFound(what, `${next} lists what there is`);
}

/** The error for an unknown argument lists the accepted ones. */
const namingAccepted =
  ({ shape }: z.ZodObject): z.core.$ZodErrorMap =>
  (issue) => {
    if (issue.code !== 'unrecognized_keys' || (issue.path ?? []).length > 0) return undefined;
    const keys = (issue.keys ?? []).slice(0, 5).map((key) => JSON.stringify(key.slice(0, 64)));
    const accepted = Object.keys(shape);
    const near = (issue.keys ?? []).slice(0, 1).flatMap((key) => nearest(key, accepted));
    const hint = near.length > 0 && accepted.length > 1 ? `; near: ${near.join(', ')}` : '';
    return `Unrecognized key: ${keys.join(', ')}${hint}; accepted: ${accepted.join(', ') || 'none'}`;
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
