import { z } from 'zod';

const Configs = z.record(z.string(), z.string()).default({});

/** The device that a package names for its check, under `svc-driver-check` in its `package.json`. */
export const CheckedDevice = z.strictObject({
  configs: Configs,
  points: z
    .array(
      z.strictObject({
        code: z.string().min(1),
        type: z.enum(['STRING', 'BYTE', 'SHORT', 'INT', 'LONG', 'FLOAT', 'DOUBLE', 'BOOLEAN']),
        rw: z.enum(['READ_ONLY', 'WRITE_ONLY', 'READ_WRITE']).default('READ_ONLY'),
        configs: Configs,
      }),
    )
    .min(1)
    .max(100),
  /** What is written, one after the other; each is read back where the point can be read. */
  writes: z
    .array(z.strictObject({ point: z.string(), value: z.string() }))
    .max(20)
    .default([]),
  /** Codes of points that the device does not have: their reads fail, and those of others do not. */
  missing: z.array(z.string()).max(20).default([]),
  /** Codes of points that it sends by itself, at least every 30 s: they are waited for, not read. */
  reports: z.array(z.string()).max(20).default([]),
  /** Events that it reports by itself, at least every 30 s, with their settings: they are waited for. */
  events: z
    .array(z.strictObject({ code: z.string().min(1), configs: Configs }))
    .max(20)
    .default([]),
});
export type CheckedDevice = z.infer<typeof CheckedDevice>;
