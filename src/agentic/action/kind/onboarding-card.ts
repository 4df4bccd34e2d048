import { z } from 'zod';

/** What would be made of a waiting endpoint (docs/specification/actions.md, Onboarding). Names are those of the proposal. */
export const OnboardingCard = z
  .object({
    waitingId: z.string(),
    endpoint: z.string().describe('The name that it gave itself'),
    driverName: z.string(),
    proof: z
      .enum(['KEY', 'NONE'])
      .describe('KEY: it proved the key of the device; NONE: the platform gave it to this tenant'),
    deviceId: z.string().nullable().describe('The device that gets it; null: a new one'),
    deviceName: z.string(),
    endpointBefore: z
      .string()
      .nullable()
      .describe('What the device registered with before, and can no longer; null: nothing'),
    profileId: z.string().nullable(),
    profileName: z
      .string()
      .nullable()
      .describe('Of a new device; null: a new profile without points'),
    groupId: z.string().nullable().default(null),
    groupName: z
      .string()
      .nullable()
      .default(null)
      .describe('The group that the device is put into; null: it stays where it is'),
    groupBefore: z
      .string()
      .nullable()
      .default(null)
      .describe('The group that a present device leaves for it; null: none'),
  })
  .meta({ id: 'ActionOnboarding' });
export type OnboardingCard = z.output<typeof OnboardingCard>;
