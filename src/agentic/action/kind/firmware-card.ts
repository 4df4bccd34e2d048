import { z } from 'zod';

const device = { deviceId: z.string(), deviceName: z.string() };

/** How a device is authenticated; UNKNOWN: its driver does not report it. */
const Security = z.enum(['PSK', 'CLEAR', 'UNKNOWN']);

/** A device that is to get the package. */
const FirmwareDevice = z.object({
  ...device,
  deviceCode: z.string(),
  deviceStatus: z.enum(['online', 'offline', 'unknown']),
  endpoint: z.string().describe('The name that it registers with; empty: its driver knows none'),
  security: Security,
  keyIdentity: z.string().describe('Of its key; empty without one'),
  versionNow: z.string().nullable().describe('What it said last that it runs; null: not known'),
  model: z.string().nullable().describe('What it said last that it is; null: not known'),
  /** Everything that decides which device gets the bytes; covered by the digest, not shown. */
  effect: z.record(z.string(), z.string()).default({}),
});

/** A chosen device that does not get the package, and why. */
export const LeftOut = z.object({
  ...device,
  code: z.enum([
    'NO_FIRMWARE_OBJECT',
    'NEVER_CONNECTED',
    'SAME_VERSION',
    'OTHER_MODEL',
    'UPDATE_UNDER_WAY',
    'DISABLED',
  ]),
  versionNow: z.string().nullable(),
  model: z.string().nullable(),
});
export type LeftOut = z.output<typeof LeftOut>;

/** What the person that decides has to know of the package or of the devices together. */
export const FirmwareNote = z.object({
  code: z.enum(['BYTES_UNKNOWN', 'IN_CLEAR', 'MODELS_DIFFER']),
  /** The devices that it is about; 0: the package. */
  devices: z.number().int(),
});
export type FirmwareNote = z.output<typeof FirmwareNote>;

/** What is rolled out, and to which devices (docs/specification/firmware.md, Proposal). */
export const FirmwareCard = z.object({
  packageId: z.string(),
  packageName: z.string(),
  packageVersion: z.string(),
  packageModel: z.string().describe('The model that it is for; empty: not said'),
  size: z.number().int().describe('Bytes'),
  sha256: z.string().nullable().describe('Of the bytes that are installed; null: not known'),
  packageUri: z.string().describe('Where the devices fetch it; empty: its bytes are sent'),
  waveSize: z.number().int(),
  failurePercent: z.number().int(),
  minutes: z.number().int(),
  byGroup: z.string().nullable().describe('Name of the group that was chosen, else null'),
  byLabel: z.string().nullable().describe('Name of the label that was chosen, else null'),
  devices: z.array(FirmwareDevice).describe('In the order in which they begin'),
  leftOut: z.array(LeftOut),
  notes: z.array(FirmwareNote),
});
export type FirmwareCard = z.output<typeof FirmwareCard>;

const said = { say: z.string().describe('The code in words') };

/** What became of a roll-out that was confirmed. */
export const RolloutState = z.object({
  rolloutId: z.string(),
  status: z.string(),
  held: z.string().describe('Why it begins no more devices now; empty: it goes on'),
  why: z.string().describe('Why it stopped, else empty'),
  counts: z.object({
    waiting: z.number().int(),
    underWay: z.number().int(),
    verified: z.number().int(),
    failed: z.number().int(),
    mismatch: z.number().int(),
    unknown: z.number().int(),
    cancelled: z.number().int().describe('Ended without having begun'),
  }),
  troubled: z
    .array(z.object({ ...device, status: z.string(), message: z.string() }))
    .describe('The first that ended otherwise than VERIFIED, with why'),
});
export type RolloutState = z.output<typeof RolloutState>;

/** The same in the shape of all answers. */
export const FirmwareView = FirmwareCard.extend({
  devices: z.array(FirmwareDevice.omit({ effect: true })),
  leftOut: z.array(LeftOut.extend(said)),
  notes: z.array(FirmwareNote.extend(said)),
  rolloutId: z.string().nullable().describe('Once it is confirmed'),
  receipt: RolloutState.nullable().describe('What became of its devices, once it is confirmed'),
}).meta({ id: 'ActionFirmware' });
export type FirmwareView = z.output<typeof FirmwareView>;
