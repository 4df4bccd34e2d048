import { type DriverCommand, DriverFailure, type DriverPoint } from '../sdk/driver.ts';

/** What a point was made into, or why its settings make no sense. */
export type Bound<P extends object> = P | DriverFailure;

export const isBound = <P extends object>(bound: Bound<P>): bound is P =>
  !(bound instanceof DriverFailure);

/** What `make` answers, or the `DriverFailure` that it throws; any other error is thrown. */
export function boundBy<P extends object>(make: () => P): Bound<P> {
  try {
    return make();
  } catch (error) {
    if (error instanceof DriverFailure) return error;
    throw error;
  }
}

/** The point with its settings. Throws `DriverFailure` where they make no sense. */
export function boundPoint<P extends object>(
  { points }: { points: ReadonlyMap<string, Bound<P>> },
  { id }: Pick<DriverPoint, 'id'>,
): P {
  const found = points.get(id);
  if (!found) throw new DriverFailure('POINT_UNKNOWN', 'the device has no such point');
  if (isBound(found)) return found;
  throw found;
}

/** As `boundPoint`, of a command. */
export function boundCommand<C extends object>(
  { commands }: { commands: ReadonlyMap<string, Bound<C>> },
  { id }: Pick<DriverCommand, 'id'>,
): C {
  const found = commands.get(id);
  if (!found) throw new DriverFailure('COMMAND_UNKNOWN', 'the device has no such command');
  if (isBound(found)) return found;
  throw found;
}

/** Why settings make no sense; undefined where they do. */
export function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof DriverFailure) return error.message;
    throw error;
  }
}
