import { driverVariables } from '../../driver/environment.ts';
import { readConfig } from '../kernel/process/config.ts';
import { PLATFORM_VARIABLES } from '../kernel/process/environment.ts';

/** The names of all variables; docs/operations.md lists the same. */
export const VARIABLES: readonly string[] = [
  ...PLATFORM_VARIABLES,
  ...Object.keys(driverVariables.schema.shape),
];

export type Settings = ReturnType<typeof readSettings>;

/** Parses the whole environment, the variables of the drivers included; throws `ConfigError`. */
export const readSettings = (environment: Record<string, string | undefined>) =>
  readConfig(environment, driverVariables);
