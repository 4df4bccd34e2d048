import { z } from 'zod';

/** A call of a command that the profile of a device defines; its device is that of the card. */
export const CallCard = z
  .object({
    commandId: z.string().describe('Of the definition'),
    commandName: z.string(),
    commandCode: z.string(),
    parameters: z
      .array(z.object({ name: z.string(), code: z.string(), value: z.string(), unit: z.string() }))
      .describe('Complete, with the defaults of those that were not given'),
  })
  .meta({ id: 'ActionCall' });
export type CallCard = z.output<typeof CallCard>;
